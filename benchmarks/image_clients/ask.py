"""Ask a service whose model sees about a picture, with the packages that people have, each as published.

    pip install openai anthropic ollama langchain-openai langchain-anthropic pydantic-ai pillow
    python benchmarks/image_clients/ask.py --url http://localhost:8080

Prints what each counted and was told. It ends with an error if one of them fails, does not count the tokens
of the picture, or is told something else than the others of the same API.
"""

import argparse
import asyncio
import base64
import io
import sys
from collections.abc import Callable

import anthropic
import ollama
import openai
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage
from langchain_openai import ChatOpenAI
from PIL import Image
from pydantic_ai import Agent, BinaryContent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

QUESTION = "What is in the picture?"
MOST = 16  # tokens of an answer
Told = tuple[int, str]  # tokens of the prompt, the answer


def make_picture() -> bytes:
    """A JPEG file: a sky over a meadow."""
    picture, file = Image.new("RGB", (320, 240), "skyblue"), io.BytesIO()
    picture.paste("green", (0, 140, 320, 240))
    picture.save(file, "JPEG")
    return file.getvalue()


def list_clients(url: str, picture: bytes) -> dict[str, Callable[[], Told]]:
    """The clients by the name of their API and package."""
    data = base64.b64encode(picture).decode()
    image_url = f"data:image/jpeg;base64,{data}"
    gpt = openai.OpenAI(base_url=f"{url}/v1", api_key="none")
    claude = anthropic.Anthropic(base_url=url, api_key="none")
    parts = [{"type": "text", "text": QUESTION}, {"type": "image_url", "image_url": {"url": image_url}}]
    block = {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": data}}
    of_langchain = {"type": "image", "source_type": "base64", "mime_type": "image/jpeg", "data": data}

    def chat() -> Told:
        answer = gpt.chat.completions.create(
            model="default", messages=[{"role": "user", "content": parts}], max_tokens=MOST, temperature=0
        )
        return answer.usage.prompt_tokens, answer.choices[0].message.content

    def respond() -> Told:
        content = [
            {"type": "input_text", "text": QUESTION},
            {"type": "input_image", "image_url": image_url, "detail": "auto"},
        ]
        answer = gpt.responses.create(
            model="default",
            input=[{"role": "user", "content": content}],
            max_output_tokens=MOST,
            temperature=0,
        )
        return answer.usage.input_tokens, answer.output_text

    def message() -> Told:
        content = [{"type": "text", "text": QUESTION}, block]
        answer = claude.messages.create(
            model="default",
            max_tokens=MOST,
            messages=[{"role": "user", "content": content}],
            extra_body={"temperature": 0},
        )
        usage = answer.usage
        return usage.input_tokens + (usage.cache_read_input_tokens or 0), answer.content[0].text

    def of_ollama() -> Told:
        answer = ollama.Client(url).chat(
            model="default",
            messages=[{"role": "user", "content": QUESTION, "images": [picture]}],
            options={"num_predict": MOST, "temperature": 0},
        )
        return answer.prompt_eval_count, answer.message.content

    def langchain(model: ChatOpenAI | ChatAnthropic) -> Told:
        answer = model.invoke([HumanMessage([{"type": "text", "text": QUESTION}, of_langchain])])
        return answer.usage_metadata["input_tokens"], answer.text

    def pydantic(model: OpenAIChatModel | OpenAIResponsesModel | AnthropicModel) -> Told:
        agent = Agent(model, model_settings={"max_tokens": MOST, "temperature": 0})
        answer = asyncio.run(agent.run([QUESTION, BinaryContent(picture, media_type="image/jpeg")]))
        return answer.usage.input_tokens, answer.output

    own = {"model": "default", "api_key": "none", "max_tokens": MOST, "temperature": 0}
    of_openai = OpenAIProvider(base_url=f"{url}/v1", api_key="none")
    of_anthropic = AnthropicProvider(anthropic_client=anthropic.AsyncAnthropic(base_url=url, api_key="none"))
    return {
        "chat: openai": chat,
        "chat: langchain-openai": lambda: langchain(ChatOpenAI(base_url=f"{url}/v1", **own)),
        "chat: pydantic-ai": lambda: pydantic(OpenAIChatModel("default", provider=of_openai)),
        "responses: openai": respond,
        "responses: pydantic-ai": lambda: pydantic(OpenAIResponsesModel("default", provider=of_openai)),
        "messages: anthropic": message,
        "messages: langchain-anthropic": lambda: langchain(ChatAnthropic(base_url=url, **own)),
        "messages: pydantic-ai": lambda: pydantic(AnthropicModel("default", provider=of_anthropic)),
        "api/chat: ollama": of_ollama,
    }


def main() -> None:
    """Ask with each client, and print what it was told."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--url", default="http://localhost:8080")
    args = parser.parse_args()
    failed, answers = 0, dict[str, str]()
    for name, ask in list_clients(args.url, make_picture()).items():
        try:
            tokens, text = ask()
            is_same = answers.setdefault(name.partition(":")[0], text) == text
            is_good = bool(text) and is_same and tokens > 64
            print(f"{'ok' if is_good else 'FAILED'}: {name}: {tokens} tokens, {text!r}")
        except Exception as error:
            is_good = False
            print(f"FAILED: {name}: {type(error).__name__}: {error}")
        failed += not is_good
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
