"""What the help desk knows about models for tritonchat: which, from where, and how to load them."""

from training.phrasing import Topic

MINE = "(my own|my|another|a different|a bigger|a better|a larger|a new|a custom|some other|other|own)"
MODEL = "(model|models|LLM|language model|checkpoint|weights)"

MODELS = {
    "load": Topic(
        "Start tritonchat with --model FOLDER, where FOLDER holds a model in Hugging Face layout. For "
        "example: tritonchat up --model ./my-model",
        brief="tritonchat up --model FOLDER",
        more="A name on the hub works too: tritonchat up --model owner/name. Add --weights int8 or int4 to "
        "make the model smaller and faster.",
        tasks=f"""
            (load|use|run|add|try|serve|open|start|plug in|bring|put in|install|import) {MINE} {MODEL}
            (change|switch|replace|swap|select|choose|pick|set|exchange|configure) (the|my|your) {MODEL}
            (change|switch) to {MINE} {MODEL}
            (chat with|talk to|ask|get answers from) (my own|another|a bigger|a better|a different|
                a real) model
            (load|use|run|start with|serve) a (local model|model from a folder|model from my disk|
                model on my disk)
            (make it use|give it|point it to|start it with|run it with) {MINE} {MODEL}
            (swap|trade) (you|Tiny|the small model|the built-in model) for (another|a bigger|a better|
                my own) (one|model)
            (use|run|load) the (folder|checkpoint|weights) (I have|on my disk|I downloaded|
                from my colleague)
            (get|have) (a bigger|a smarter|a different|another|a more capable) (brain|model|bot) (in here|
                running here|behind the page)
            (point|aim) (tritonchat|it|the server) at (a folder|my folder|a model folder|my weights)
            (upgrade|replace) (you|the brain|the bot|this model) (to|with|by) (a bigger model|
                a better model|something smarter)
        """,
        things="(the --model flag|--model|the model flag|the --model option|--model FOLDER)",
        asks=f"""
            (where|how) do I (put|place|set|choose|specify|store) (the|my|a) {MODEL}?
            (does it|can it|will it|can tritonchat|does tritonchat) (run|load|support|take|
                work with) {MINE} {MODEL}?
            I (have|downloaded|trained|got) a model(. How do I use it?|. How do I load it?|, now what?|
                . And now?)
            (load|loading|switch|change|use) (model|own model|my model|other model|bigger model|custom model)
            (model|own model|custom model|bigger model) (load|loading|how|folder|flag)
            you are too (small|stupid|weak|dumb), (how do I get|can I have|give me|I want) a bigger (one|
                model)(?|)
            (is there|do you have) a (bigger|better|larger|smarter) model( than you|)?
            how do I get a (smarter|better|bigger|cleverer) (bot|one|model|assistant)( than you|)?
            can I have a (different|better|bigger|smarter) model( here|)?
            (I have|I've got|there is) a folder (with a model|full of weights|with a checkpoint|
                of safetensors)(, what now?|. What now?|. How do I use it?| on my disk. And now?)
            (my|our) (model|fine-tuned model|checkpoint) (is|lies) (in a folder|on my disk|in ./my-model)(
                . How do I load it?|. How do I get it in?|. What do I type?|, what now?)
            (just|I just|I've just) (finished training|trained|fine-tuned|downloaded) (a model|my model)(
                . How do I run it here?|, how do I load it here?|. How do I chat with it?)
            (which|what) (flag|option|argument|parameter) (takes|names|sets|is for) the model( folder|)?
            (can|could) (you|this bot|Tiny) be (replaced|swapped|
                exchanged)( by a bigger model| for another model|)?
            (how|where) do I tell (it|tritonchat|the server) which model (to use|to load|to run|I want)?
            (I'd rather|I would rather|let me|I want to) (talk to|chat with|use) (a real model|
                another model|a smarter model|something bigger)(.|, how?|)
            (what do I do|what must I do) to (use|get|load|have) (a bigger|another|my own) model( here|)?
            (not|without) (you|Tiny), (another|a bigger|my own) model(, please|?|, how?)
            (the|a) model (folder|path|directory) (goes|belongs) where( on the command line|)?
            (other|bigger|smarter|better|different|more) (models|model)(?|, how?| please|, possible?)
            (is it|would it be) possible to have a (bigger|smarter|cleverer|stronger|
                better) model( here| behind this page|)?
            (with|in) other (servers|programs) I say -m (model.gguf|model|path)(. How here?|, and here?|
                . What is it here?)
            (how do I|can I) (bring|use|run) my own (weights|checkpoint|network|LLM)?
        """,
    ),
    "default model": Topic(
        "Without --model it runs me, Tiny: the small model that comes with it.",
        tasks="""
            (start|run|use) (tritonchat|it|the server) without (a model|any model|my own model|
                giving a model|--model)
            (go|switch|change) back to (the built-in model|the small model|the default model|Tiny)
            (use|run|get) the (default model|built-in model|embedded model|small model that comes with it|
                bundled model)
        """,
        things="""
            (the default model|the embedded model|the built-in model|the bundled model|
                the model that comes with tritonchat|the included model)
        """,
        asks="""
            (what happens|what runs|which model runs|which model answers) (if|when) I give no (model|
                --model|model folder)?
            (do I|must I|do I have to) (give|have|download|bring|
                name) a model( at all| first| before I can chat|)?
            (does it|does tritonchat) (come|ship) with a model( already| included|)?
            is a model (included|part of it|already there|built in|in the box)?
            (which|what) model (is the default|comes with it|is built in|is included|does it start with|
                is in the box)?
            (I have no|I don't have a|without a|no) model(. Can I still chat?|. Does it work anyway?|
                , does it work?| of my own. Is that a problem?)
            can I (try|use|start) (it|tritonchat) without (downloading|fetching|having) (a model|
                anything big)?
            (default|built-in|embedded|bundled|included) model(?| what| which| name)
            (leave|leaving) out --model(?|, what then?|: which model is it?)
        """,
    ),
    "hub": Topic(
        "For a model of the Hugging Face hub give its name: tritonchat up --model owner/name. It is "
        "downloaded once and kept.",
        more="For example: tritonchat up --model Qwen/Qwen2.5-0.5B-Instruct",
        tasks="""
            (download|fetch|get|pull|load|use|run) a model (from|off) (Hugging Face|the hub|huggingface|HF|
                the web)
            (use|load|run) (Hugging Face|huggingface|HF|hub) models
            (get|download|fetch|pull) a (new|bigger|better|free) model from (Hugging Face|the internet|
                the hub)
            (get|have) a model (downloaded|fetched)( for me| automatically|)
            (use|give|type) (a model name|a repo id|owner/name|the name of a model)( instead of a folder|)
            (try|test) a model that is on Hugging Face
            (download|get|fetch) (Qwen|Llama|Mistral|TinyLlama|
                SmolLM2)( from the hub| from Hugging Face| by name|)
        """,
        things="""
            (Hugging Face|the hub|the Hugging Face hub|huggingface|a hub name|a name on the hub)
            (a repo id|a model name on the hub|a model id|huggingface.co|models on Hugging Face|
                the download of a model)
        """,
        asks="""
            (does it|can it|will it) (download|fetch) models( by itself| automatically| from Hugging Face|)?
            (where|from where) (do I|can I) (get|download|find) models?
            (can I|do you) (give|take|use) a (hub name|Hugging Face name|repo name|name from Hugging Face)?
            (download|downloading|fetch) (model|a model|models)( please|)
            (hugging face|huggingface|hub|HF) (model|models|download)
            (I saw|I found|there is) a (nice |)model on (Hugging Face|the hub|huggingface.co)(
                . How do I get it here?|. How do I run it?|, can I use it?|. Can I run it here?)
            (do I|must I|do I have to) (download|fetch) (the model|a model|models) (myself|by hand|
                with git lfs)?
            (is there|do you have) (a download command|a pull command|something like ollama pull|
                an automatic download)?
            (can|will|does) tritonchat (download|fetch|pull|get) (the model|a model|it) (for me|by itself|
                from the internet|from Hugging Face)?
            (I have|there is) no model on my (disk|machine|computer)(. Where do I get one?|
                . How do I get one?|. Where from?)
            (git lfs|huggingface-cli|ollama pull|snapshot_download)(, do I need that?| needed?|
                , or does it download by itself?|?)
            (where|from where) does (it|tritonchat) (download|fetch|get) (models|the model|a model) from?
            (only|I only know) the name of (a|the) model(, no folder|, is that enough?|. Is that enough?)
            (which|what) website (has|offers) (models|free models)( for tritonchat|)?
            (what do I type|what is the command) for a model (from|on) (the hub|Hugging Face)?
            (free models|model downloads)(, where?| from where?|?)
        """,
    ),
    "private model": Topic(
        "Set HF_TOKEN in the environment to your token of the hub. A model with a licence must be "
        "accepted on its page first.",
        brief="Set HF_TOKEN to your token of the hub, and accept the licence on the page of the model.",
        tasks="""
            (load|use|get|download|fetch|run) (a private|a gated|my private|a restricted|
                a locked) model( from the hub| of my company|)
            (log in to|sign in to|authenticate with) (the hub|Hugging Face|huggingface)
            (give|pass|set|use) (my|a|the) (Hugging Face token|hub token|HF token|access token of the hub|
                HF_TOKEN)
            (accept|agree to) the licence of a model on the hub
        """,
        things="""
            (HF_TOKEN|the HF_TOKEN variable|a Hugging Face token|a hub token|a gated model|gated models|
                private models|a private model)
            (the error|the message) (gated repo|licence must be accepted|private model)
        """,
        asks="""
            (the|my) model (is|seems) (private|gated|locked|restricted)(.| on the hub.|. What now?|
                , how do I get it?|)
            (it says|the hub says|I get) (the licence must be accepted|gated repo|
                that I have no access to the model|neither a folder nor a hub model)(.|)
            (do I|does it) need (a Hugging Face account|a login for the hub|an account on the hub|
                a token for the hub)?
            (where|how) do I (put|set|enter|give) (my |the |)(Hugging Face token|hub token|HF token)?
            (can it|does it) (load|use|fetch|download) (private|gated|restricted) models?
            (hf token|hf_token|hub login|gated model|private repo|hugging face token)( where| how| error|)
            (Llama|this model|my model) (wants|asks for) (a licence|a token|a login|
                my agreement)( on the hub|)(.|, how?|)
        """,
    ),
    "place": Topic(
        "A model from the hub is kept in .cache/huggingface in your home folder, so it is fetched only once. "
        "Delete it there to get the space back.",
        brief="It is kept in .cache/huggingface in your home folder until you delete it.",
        tasks="""
            (find|delete|remove|see|locate|move) (the downloaded models|downloaded models|the model cache)
            (free|clear|empty) the (disk space of the models|model cache|download cache)
            (move|put) the (downloaded models|model cache) (elsewhere|to another disk)
            (get my disk space back|clean up old models|throw away a downloaded model|
                remove an old model from my disk)
            (look at|list|count) the (downloaded models|models I have downloaded)
        """,
        things="""
            the (model cache|download folder|folder of the downloaded models|Hugging Face cache)
            (.cache/huggingface|the place of the models|the storage of downloaded models|
                the download location)
        """,
        asks="""
            where (are|is|does it store|does it keep|does it save|do you put) (the|my|a) downloaded (models|
                model)?
            where (are|do) (the |)(models|downloads) (stored|kept|saved|cached|go|end up)?
            (in which|which) (folder|directory) (holds|has|are|keeps) the (models|downloaded models|
                downloads)?
            (does it|will it) download the model (again|every time|each time|twice)?
            (model|download) (cache|cache folder|location|storage)
            how much disk (space|room) do the models (take|need)?
            (my disk|the disk|my home folder) is (full|nearly full|
                too small)( of models| because of the models|)(. Where are the models?|
                . Which folder holds the models?)
            (I|I have) downloaded a model(. Where is it now?|, where did it go?|. Where does it lie?|
                , where is it on disk?)
            (where|in which folder) (did|does) (tritonchat|it) (put|save|store|keep) the (model|models|
                download)( it fetched|)?
            (is the model|are models) (downloaded|fetched) (anew|again|every time|once)( at each start|)?
            (can I|may I) delete (old models|a downloaded model|the model cache|a model I do not use)?
            (the second time|at the next start|tomorrow), (is it|must it be|will the model be) (downloaded|
                fetched) again?
            (models|downloads|downloaded models)(: where?|, where are they?| folder| location| path)
            what is (in|inside) .cache/huggingface?
            (where on disk|where on my disk|in what directory) do models (from the hub |)(live|end up|go|
                stay)?
        """,
    ),
    "families": Topic(
        "Models of the Llama, Mistral and Qwen2 families, also TinyLlama, DeepSeek-LLM and SmolLM2. "
        "TinyLlama is a good one to begin with.",
        brief="Llama, Mistral and Qwen2 models.",
        tasks="""
            (run|use|load|serve) (Llama|Mistral|Qwen|Qwen2|TinyLlama|DeepSeek|SmolLM2|Gemma|Phi|Falcon|
                Mixtral)
            (find|choose|pick|select) a (good|suitable|fitting|supported) model
            (know|see|find out|check) (which models fit|which models it takes|if my model fits|
                whether a model is supported)
            (run|use|load) (a Llama|a Mistral|a Qwen|Llama 3|Qwen2.5|a Gemma|a Phi|a GPT-2|an OPT|Bloom|
                a Falcon)( model| checkpoint|)
        """,
        things="""
            (the supported models|the model families|supported model families|the supported families)
            (a supported model|a fitting model|a suitable model|the compatible models|
                compatible architectures|the list of supported models)
        """,
        asks="""
            (which|what|what kinds of|what sorts of) (models|LLMs|language models) (work|work here|
                can I use)?
            (which|what) (models|LLMs) (does it|do you|does tritonchat|can it|can you) (support|run|load|know|
                take)?
            (which|what) model (should I|do I|shall I|can I) (use|take|try|run|load|download|pick|
                choose)( first|)?
            (which|what) (model|LLM) (is good|is best|is the best|do you recommend|would you take|fits)?
            (can you|could you|please) (recommend|suggest) (a|some) (model|models|LLM|chat model)(?|)
            (does it|will it|can it) (support|run|work with) (Llama|Mistral|Qwen|DeepSeek|Gemma|Phi|
                Mixtral)?
            (is|are) (Llama|Mistral|Qwen2|Gemma|Phi|GPT-2|DeepSeek) (supported|possible|ok|working)?
            (model|supported) (families|models|list|architectures)
            (which|what) (architectures|families|model families) (are supported|work|are there|can I use)?
            (I want|I'd like|I need) a (good|small|fast|simple) model to (begin|start|try) with(
                . Which one?|, which one?|. What do you advise?)
            (is|will) (Llama 3|Qwen2.5|TinyLlama|Mistral 7B|Gemma 2|Phi-3|SmolLM2|Mixtral|GPT-2|DeepSeek) (
                work|run|supported|fine|ok)( here| with it|)?
            (what about|how about|and) (Llama|Mistral|Qwen|Gemma|Phi|Falcon|Mixtral|SmolLM2|BERT) models?
            (my model|mine|the model I have) is a (Llama|Mistral|Qwen2|Gemma|Phi|Falcon)(. Does it run?|
                . Will that run?|, does that work?|. Is it supported?)
            (any|every|just any) (model|LLM)(?| or only some?|, or only certain ones?| at all?)
            (does it|can it|will it) (take|eat|accept|run) (any|every|all|all kinds of) (model|models|LLM|
                LLMs)?
            (which|what) (models|model families|architectures|LLMs) (can't|cannot|does it not|won't it) (
                run|be run|be loaded|load|work)?
            (I am|I'm) (looking for|searching) a model(. What fits?|. Any recommendation?| that runs here.)
            (the|a) (list|table|catalogue) of (supported|possible|working|compatible) (models|families|
                architectures)(, please|?|.|)
            it says (the architecture|the model type|this family) is (not supported|unknown)(.|
                . Which ones are?|, which are?)
            (best|good|recommended|first|easy) model( for a beginner| to begin with| to start with|)(?|
                , which?)
            name (a model|some models|three models) (that works|that work|that fit|I could try)( here|)(.|)
        """,
    ),
    "formats": Topic(
        "It reads a folder in Hugging Face layout: config.json, tokenizer.json and weights in safetensors. "
        "GGUF is not read.",
        brief="It reads Hugging Face layout with safetensors, not GGUF.",
        things="""
            (safetensors|a safetensors file|the Hugging Face layout|Hugging Face layout|the model format|GGUF)
            (a model folder|the contents of a model folder|config.json|a .gguf file|sharded weights|
                model.safetensors)
        """,
        tasks="""
            (load|use|run|open|read) (GGUF|a GGUF file|gguf models|safetensors|a .bin file|ONNX|
                a pickle file)
            (prepare|lay out|arrange|set up) (a|my|the) model folder
            (convert|turn) (a GGUF|my GGUF file|a pickle|a .bin file|an ONNX file) (so that it loads|
                into something it reads|for tritonchat)
        """,
        asks="""
            (which|what) (format|formats|file format|file formats|model format) (is|are) (supported|needed|
                read)?
            (which|what) (format|files|file format) (does it|must a model|should my model|does a model) (need|
                have)?
            (does it|can it|do you|will it) (support|read|load|take|work with) (GGUF|gguf|safetensors|ONNX|
                pickle)?
            (which|what) files (must|should|does) (the|a|my) model folder (have|hold|contain|need)?
            what (must|should|has to) be in (FOLDER|the folder|the model folder|my model folder)?
            how (must|should) the (model folder|folder|files) (look|be laid out)?
            (model|file|weight) (format|formats|layout|files)
            I (have|only have) a (GGUF|gguf|.bin|ONNX|pickle) (file|model)(.|. Does it work?|, does it work?)
            (I have|there is|I got) (a folder of|a file of|some|these) safetensors( files|)(
                . Is that right?|. Is that the right format?|, is that a good format?|. Can it read them?)
            (my model|my file|the model) is (a GGUF|in GGUF|a .gguf|an ONNX file|a .pt file|a .bin|
                a pickle)(. Can it be read?|. Will it load?|, will it load?|. Does that work?)
            (why|how come) (is GGUF not read|can't it read GGUF|no GGUF|does my GGUF not load)?
            (is|are) (GGUF|ONNX|pickle|sharded safetensors|.bin files|safetensors) (ok|fine|possible|
                allowed|readable|accepted)?
            (GGUF|gguf|ONNX|pickle|safetensors|.bin)( files| file| models|)(, does that work?|
                : supported?| or safetensors?|, can it read that?)
            (which|what) (files|file) (have to|must|should) (lie|be|stand) in (the|my|a) (model |)folder?
            (there are|I see|my folder has) (several|two|many) safetensors files(. Is that ok?|
                , is that ok?|. Does it load all?)
            (there is|my folder has|I have) no (config.json|tokenizer.json) in (it|the folder|my folder)(
                . Is it needed?|, is that bad?|.)
            (llama.cpp|Ollama) (files|models)(, can it read them?|: do they load here?| here?)
            in what (form|format|shape|layout) (must|should|has) (my|a|the) model (be|to be)?
        """,
    ),
    "multimodal": Topic(
        "tritonchat runs models of text only: no pictures, no sound, no video.",
        tasks="""
            (use|run|load|serve) (a vision model|an image model|a speech model|a multimodal model|Whisper|
                Stable Diffusion|LLaVA|a video model|a diffusion model)
            (send|upload|attach) (pictures|images|an image|a photo|audio|sound files|a PDF) (to|over|
                through) (the API|the server|the model)
            (make|generate) pictures with tritonchat
        """,
        things="""
            (vision models|multimodal models|a vision model|a speech model|speech models|image models|
                image input|voice input)
            (image generation with tritonchat|speech recognition with tritonchat|
                text to speech with tritonchat)
        """,
        asks="""
            (does it|does tritonchat|can it|can tritonchat) (run|serve|load|support) (vision models|
                image models|multimodal models|speech models|Whisper|LLaVA|Stable Diffusion)?
            (does|can) the (API|server|page) (take|accept|understand|handle) (images|pictures|photos|audio|
                sound|voice|video)?
            (can|may) I (upload|attach|drop) (a picture|an image|a PDF|a file|a document|a photo) (on|in|
                to) the page?
            (is there|does the page have) (a microphone|a voice mode|speech output|an image upload|
                a file upload|voice input)?
            (multimodal|vision|whisper|stable diffusion|llava|image input)( models| support| model|)
            (text only|only text)(, or pictures too?| or images as well?|, or also sound?)
            (is it|is tritonchat) (only for text|for text only|multimodal)?
        """,
    ),
}
