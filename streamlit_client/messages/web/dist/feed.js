function e({data:t}){window.tritonchatFed=t,window.dispatchEvent(new CustomEvent("tritonchat-feed",{detail:t}))}export{e as default};
