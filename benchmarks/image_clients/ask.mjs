// Ask a running service whose model sees about a picture, with the AI SDK and the packages for JavaScript.
//
//     npm install ai @ai-sdk/openai-compatible @ai-sdk/openai @ai-sdk/anthropic openai @anthropic-ai/sdk
//     node ask.mjs http://localhost:8080 picture.jpg
//
// Run it where they are installed. It ends with an error if one of them fails, or if the picture is not counted.
import { readFileSync } from "node:fs";
import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";
import OpenAI from "openai";

const [url, path] = process.argv.slice(2);
const picture = readFileSync(path);
const data = picture.toString("base64");
const text = "What is in the picture?";
const apiKey = "none";

async function askSdk(model) {
  const content = [{ type: "text", text }, { type: "file", mediaType: "image/jpeg", data: picture }];
  const answer = await generateText({
    model, messages: [{ role: "user", content }], maxOutputTokens: 16, temperature: 0,
  });
  return [answer.usage.inputTokens, answer.text];
}

async function askOpenAI() {
  const answer = await new OpenAI({ baseURL: `${url}/v1`, apiKey }).chat.completions.create({
    model: "default", max_tokens: 16, temperature: 0,
    messages: [{ role: "user", content: [
      { type: "text", text }, { type: "image_url", image_url: { url: `data:image/jpeg;base64,${data}` } },
    ] }],
  });
  return [answer.usage.prompt_tokens, answer.choices[0].message.content];
}

async function askAnthropic() {
  const answer = await new Anthropic({ baseURL: url, apiKey }).messages.create({
    model: "default", max_tokens: 16, temperature: 0,
    messages: [{ role: "user", content: [
      { type: "text", text }, { type: "image", source: { type: "base64", media_type: "image/jpeg", data } },
    ] }],
  });
  return [answer.usage.input_tokens + (answer.usage.cache_read_input_tokens ?? 0), answer.content[0].text];
}

const baseURL = `${url}/v1`;
const openai = createOpenAI({ baseURL, apiKey });
const clients = {
  "AI SDK, openai-compatible": () => askSdk(createOpenAICompatible({ name: "here", baseURL })("default")),
  "AI SDK, openai chat": () => askSdk(openai.chat("default")),
  "AI SDK, openai responses": () => askSdk(openai.responses("default")),
  "AI SDK, anthropic": () => askSdk(createAnthropic({ baseURL, apiKey })("default")),
  "openai": askOpenAI,
  "@anthropic-ai/sdk": askAnthropic,
};
let failed = 0;
for (const [name, ask] of Object.entries(clients)) {
  try {
    const [tokens, answer] = await ask();
    const isGood = tokens > 64 && answer.length > 0;
    failed += isGood ? 0 : 1;
    console.log(`${isGood ? "ok" : "FAILED"}: ${name}: ${tokens} tokens, ${JSON.stringify(answer)}`);
  } catch (error) {
    failed += 1;
    console.log(`FAILED: ${name}: ${error}`);
  }
}
process.exit(failed ? 1 : 0);
