"""The question that a reranking decoder answers with yes or no.

A chat template that knows the roles query and document writes it. Otherwise these are the words of
Qwen3-Reranker, from the model card of Qwen/Qwen3-Reranker-0.6B (arXiv:2506.05176).
"""

import re

from ..chat.chat_tokenizer import ChatTokenizer
from ..chat.template import ChatTemplate
from ..requests.messages import Message

_BEGIN = (
    "<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the "
    'Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>\n<|im_start|>user\n'
)
_END = "<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n"
DEFAULT_INSTRUCTION = "Given a web search query, retrieve relevant passages that answer the query"
_ROLES = (re.compile(r"""["']query["']"""), re.compile(r"""["']document["']"""))


def encode_question(
    chat_tokenizer: ChatTokenizer, query: str, document: str, instruction: str | None, max_tokens: int | None
) -> list[int]:
    """The tokens of the question whether a document answers a query.

    Names of control tokens in the three texts are text. With more than `max_tokens`, the end of the document
    is cut, unless a chat template writes the question.
    """
    template, tokenizer = chat_tokenizer.chat_template, chat_tokenizer.tokenizer
    if isinstance(template, ChatTemplate) and all(role.search(template.source) for role in _ROLES):
        texts = {"system": instruction, "query": query, "document": document}
        messages = [
            Message.model_construct(role=role, content=text)  # type: ignore[arg-type]  # other roles
            for role, text in texts.items()
            if text is not None
        ]
        return chat_tokenizer.encode_chat(messages).token_ids
    text = f"<Instruct>: {instruction or DEFAULT_INSTRUCTION}\n<Query>: {query}\n<Document>: {document}"
    begin, end = (
        tokenizer.encode(_BEGIN, add_special_tokens=False),
        tokenizer.encode(_END, add_special_tokens=False),
    )
    inner = tokenizer.encode_inside(text)
    if max_tokens is not None:
        inner = inner[: max(0, max_tokens - len(begin) - len(end))]
    return [*begin, *inner, *end]
