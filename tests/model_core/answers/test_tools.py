"""Tool calls as models write them: how they are read, and the grammars that hold a model to them."""

# ruff: noqa: RUF001, E501 - the names of DeepSeek's tokens have wide bars; answers are one line

import itertools
import json
import random
import re
from collections.abc import Sequence
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from llguidance import LLMatcher, LLTokenizer
from tokenizers import Tokenizer

from model_core.answers.parser import AnswerParser, AnswerStyle
from model_core.answers.tools import FORMATS, PLAIN, ToolFormat, describe_tools, recognize
from model_core.answers.writer import join_events
from model_core.errors import InvalidRequest
from model_core.grammar.lark import Lark
from model_core.hub import embedded_model
from model_core.requests.events import Event, Text, ToolCallDelta
from model_core.requests.messages import Message, Tool, ToolCall

WEATHER = Tool(
    name="get_weather",
    description="The weather in a city.",
    parameters={
        "type": "object",
        "properties": {
            "city": {"type": "string"},
            "days": {"type": "integer", "minimum": 1},
            "unit": {"enum": ["C", "F"]},
        },
        "required": ["city"],
    },
)
TIME = Tool(name="get_time")
TOOLS = (WEATHER, TIME)
BY_NAME = {tool_format.name: tool_format for tool_format in (*FORMATS, PLAIN)}
PARIS = ("get_weather", {"city": "Paris"})
NOW = ("get_time", {})

# As the models write two calls, with text before them if they do that. Harmony allows one call only.
EXAMPLES = {
    "hermes": """Let me see.
<tool_call>
{"name": "get_weather", "arguments": {"city": "Paris"}}
</tool_call>
<tool_call>
{"name": "get_time", "arguments": {}}
</tool_call>""",
    "qwen_coder": """Let me see.
<tool_call>
<function=get_weather>
<parameter=city>
Paris
</parameter>
</function>
</tool_call>
<tool_call>
<function=get_time>
</function>
</tool_call>""",
    "llama3": '{"name": "get_weather", "parameters": {"city": "Paris"}}; {"name": "get_time", "parameters": {}}',
    "mistral": 'Let me see.[TOOL_CALLS]get_weather[ARGS]{"city": "Paris"}[TOOL_CALLS]get_time[ARGS]{}',
    "mistral_list": '[TOOL_CALLS] [{"name": "get_weather", "arguments": {"city": "Paris"}}, '
    '{"name": "get_time", "arguments": {}}]',
    "gemma4": '<|tool_call>call:get_weather{city:<|"|>Paris<|"|>}<tool_call|><|tool_call>call:get_time{}<tool_call|>',
    "function_gemma": "<start_function_call>call:get_weather{city:<escape>Paris<escape>}<end_function_call>"
    "<start_function_call>call:get_time{}<end_function_call>",
    "deepseek_v3": """Let me see.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>get_weather
```json
{"city": "Paris"}
```<｜tool▁call▁end｜>
<｜tool▁call▁begin｜>function<｜tool▁sep｜>get_time
```json
{}
```<｜tool▁call▁end｜><｜tool▁calls▁end｜>""",
    "deepseek_v31": 'Let me see.<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Paris"}'
    "<｜tool▁call▁end｜><｜tool▁call▁begin｜>get_time<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "glm": """Let me see.
<tool_call>get_weather
<arg_key>city</arg_key>
<arg_value>Paris</arg_value>
</tool_call>
<tool_call>get_time
</tool_call>""",
    "lfm2": '<|tool_call_start|>[get_weather(city="Paris"), get_time()]<|tool_call_end|>',
    "pythonic": '[get_weather(city="Paris"), get_time()]',
    "seed_oss": """Let me see.
<seed:tool_call>
<function=get_weather>
<parameter=city>Paris</parameter>
</function>
</seed:tool_call>
<seed:tool_call>
<function=get_time>
</function>
</seed:tool_call>""",
    "minimax": """Let me see.
<minimax:tool_call>
<invoke name="get_weather">
<parameter name="city">Paris</parameter>
</invoke>
<invoke name="get_time">
</invoke>
</minimax:tool_call>""",
    "minimax_m3": """Let me see.
]<]minimax[>[<tool_call>
]<]minimax[>[<invoke name="get_weather">]<]minimax[>[<city>Paris]<]minimax[>[</city>]<]minimax[>[</invoke>
]<]minimax[>[<invoke name="get_time">]<]minimax[>[</invoke>
]<]minimax[>[</tool_call>""",
    "hy3": """Let me see.<tool_calls>
<tool_call>get_weather<tool_sep>
<arg_key>city</arg_key>
<arg_value>Paris</arg_value>
</tool_call>
<tool_call>get_time<tool_sep>
</tool_call>
</tool_calls>""",
    "hy4": "Let me see.<tool_calls><tool_call>get_weather<arg_key>city</arg_key><arg_value>Paris</arg_value></tool_call>"
    "<tool_call>get_time</tool_call></tool_calls>",
    "kimi": "Let me see.<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0"
    '<|tool_call_argument_begin|>{"city": "Paris"}<|tool_call_end|><|tool_call_begin|>functions.get_time:1'
    "<|tool_call_argument_begin|>{}<|tool_call_end|><|tool_calls_section_end|>",
    "granite": '<|tool_call|>[{"name": "get_weather", "arguments": {"city": "Paris"}}, '
    '{"name": "get_time", "arguments": {}}]',
    "command": """<|START_ACTION|>[
    {"tool_call_id": "0", "tool_name": "get_weather", "parameters": {"city": "Paris"}},
    {"tool_call_id": "1", "tool_name": "get_time", "parameters": {}}
]<|END_ACTION|>""",
    "nemotron": '<TOOLCALL>[{"name": "get_weather", "arguments": {"city": "Paris"}}, '
    '{"name": "get_time", "arguments": {}}]</TOOLCALL>',
    "apriel": 'Let me see.\n<tool_calls>[{"name": "get_weather", "arguments": {"city": "Paris"}}, '
    '{"name": "get_time", "arguments": {}}]</tool_calls>',
    "functools": 'functools[{"name": "get_weather", "arguments": {"city": "Paris"}}, '
    '{"name": "get_time", "arguments": {}}]',
    "apertus": '<|tools_prefix|>[{"get_weather": {"city": "Paris"}}, {"get_time": {}}]<|tools_suffix|>',
    "phi4": '<|tool_call|>{"name": "get_weather", "arguments": {"city": "Paris"}}<|/tool_call|>'
    '<|tool_call|>{"name": "get_time", "arguments": {}}<|/tool_call|>',
    "internlm": """Let me see.<|action_start|><|plugin|>
{"name": "get_weather", "parameters": {"city": "Paris"}}<|action_end|><|action_start|><|plugin|>
{"name": "get_time", "parameters": {}}<|action_end|>""",
    "xlam": '[{"name": "get_weather", "arguments": {"city": "Paris"}}, {"name": "get_time", "arguments": {}}]',
    "olmo3": """<function_calls>
get_weather(city="Paris")
get_time()
</function_calls>""",
    "dsml": """Let me see.

<｜DSML｜function_calls>
<｜DSML｜invoke name="get_weather">
<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>
</｜DSML｜invoke>
<｜DSML｜invoke name="get_time">
</｜DSML｜invoke>
</｜DSML｜function_calls>""",
    "dsml_v4": """Let me see.

<｜DSML｜tool_calls>
<｜DSML｜invoke name="get_weather">
<｜DSML｜parameter name="city" string="true">Paris</｜DSML｜parameter>
</｜DSML｜invoke>
<｜DSML｜invoke name="get_time">
</｜DSML｜invoke>
</｜DSML｜tool_calls>""",
    "gcml": """Let me see.

<｜GCML｜tool_calls>
<｜GCML｜invoke name="get_weather">
<｜GCML｜parameter name="city" string="true">Paris</｜GCML｜parameter>
</｜GCML｜invoke>
<｜GCML｜invoke name="get_time">
</｜GCML｜invoke>
</｜GCML｜tool_calls>""",
    "kimi_k3": '<|close|>response<|sep|><|open|>tools<|sep|><|open|>call tool="get_weather" index="1"<|sep|>'
    '<|open|>argument key="city" type="string"<|sep|>Paris<|close|>argument<|sep|><|close|>call<|sep|>'
    '<|open|>call tool="get_time" index="2"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>',
    "gigachat3": '<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "get_weather", "arguments": {"city": "Paris"}}',
    "gigachat31": '<|function_call|>{"name": "get_weather", "arguments": {"city": "Paris"}}',
    "solar": "<|tool_calls|><|tool_call:begin|>a1b2c3d4e5<|tool_call:name|>get_weather<|tool_call:args|>"
    '{"city": "Paris"}<|tool_call:end|><|tool_call:begin|>f6<|tool_call:name|>get_time<|tool_call:args|>{}'
    "<|tool_call:end|>",
    "minicpm5": 'Let me see.<function name="get_weather"><param name="city">Paris</param></function>\n'
    '<function name="get_time"></function>',
    "functionary_32": 'get_weather\n{"city": "Paris"}>>>get_time\n{}',
    "functionary": 'Let me see.<function=get_weather>{"city": "Paris"}</function>'
    "<function=get_time>{}</function>",
    "harmony": '<|channel|>commentary to=functions.get_weather <|constrain|>json<|message|>{"city": "Paris"}',
    "atem": ' to=get_weather<|message|><atem:function_calls>\n<atem:invoke name="get_weather">\n'
    '<atem:parameter name="city">Paris</atem:parameter>\n</atem:invoke>\n</atem:function_calls><|eom|><|start|>'
    'assistant to=get_time<|message|><atem:function_calls>\n<atem:invoke name="get_time">\n</atem:invoke>\n'
    "</atem:function_calls>",
    "plain": '{"name": "get_weather", "arguments": {"city": "Paris"}}\n{"name": "get_time", "arguments": {}}',
}

# What is written otherwise, or wrongly: the format, the text, the expected text and the expected calls, whose
# arguments are JSON or, where they are none, what was written.
VARIANTS: list[tuple[str, str, str, list[tuple[str, Any]]]] = [
    (
        "hermes",
        '<tool_call>{"arguments": {"a": 1}, "id": 7, "name": "f"}</tool_call>\nBye',
        "Bye",
        [("f", {"a": 1})],
    ),
    ("hermes", '<tool_call>\n{"name": "get_time"}\n</tool_call>', "", [NOW]),
    (
        "hermes",
        '<tool_call>{"name": "f", "arguments": {"a": "}</tool_call>"}}</tool_call>',
        "",
        [("f", {"a": "}</tool_call>"})],
    ),
    ("hermes", '<tool_call>{"name": "f", "argu', '<tool_call>{"name": "f", "argu', []),
    ("hermes", '<tool_call>{"name": "f", "arguments": {"a', "", [("f", '{"a')]),
    ("hermes", '<tool_call>{"name": "f", "arguments": {a: 1}}</tool_call>', "", [("f", "{a: 1}")]),
    ("hermes", "Use <tool_call> for this.", "Use <tool_call> for this.", []),
    (
        "hermes",
        '<tool_call>{"name": 3, "arguments": {}}</tool_call>',
        '<tool_call>{"name": 3, "arguments": {}}</tool_call>',
        [],
    ),
    ("hermes", "<tool_ca", "<tool_ca", []),
    ("seed_oss", "<function=f><parameter=a>two\nlines</parameter>", "", [("f", '{"a": "two\\nlines"')]),
    ("seed_oss", "<seed:tool_call>none</seed:tool_call>", "<seed:tool_call>none</seed:tool_call>", []),
    ("granite", '<|tool_call|> [{"name": "f", "arguments": {"a": 1}}] Bye', "Bye", [("f", {"a": 1})]),
    ("granite", "<|tool_call|>none", "<|tool_call|>none", []),
    (
        "minimax",
        '<invoke name="f"><parameter name="a">two\nlines</parameter>',
        "",
        [("f", '{"a": "two\\nlines"')],
    ),
    ("minimax", '<invoke name="f"></invoke> Bye', "Bye", [("f", {})]),
    (
        "minimax",
        "<minimax:tool_call>none</minimax:tool_call>",
        "<minimax:tool_call>none</minimax:tool_call>",
        [],
    ),
    (
        "minimax_m3",
        ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="plan">\n]<]minimax[>[<id>42]<]minimax[>[</id>\n'
        "]<]minimax[>[<to>\n]<]minimax[>[<city>Oslo]<]minimax[>[</city>\n]<]minimax[>[<to> <b> ]<]minimax[>[</to>"
        "]<]minimax[>[</to>\n]<]minimax[>[<stops>]<]minimax[>[<item>]<]minimax[>[<n>1]<]minimax[>[</n>"
        "]<]minimax[>[</item>]<]minimax[>[<item>x]<]minimax[>[</item>]<]minimax[>[</stops>"
        ']<]minimax[>[<more>{"a": "]<]minimax[>[</more>"}]<]minimax[>[</more>]<]minimax[>[</invoke>\n'
        "]<]minimax[>[</tool_call> Bye",
        "Bye",
        [
            (
                "plan",
                {
                    "id": 42,
                    "to": {"city": "Oslo", "to": " <b> "},
                    "stops": [{"n": 1}, "x"],
                    "more": {"a": "]<]minimax[>[</more>"},
                },
            )
        ],
    ),
    (
        "minimax_m3",
        ']<]minimax[>[<invoke name="get_weather">]<]minimax[>[<days>3]<]minimax[>[</days>]<]minimax[>[<city>]<]mi'
        "nimax[>[<b>1]<]minimax[>[</city>]<]minimax[>[</invoke>",
        "",
        [("get_weather", {"days": 3, "city": "]<]minimax[>[<b>1"})],
    ),
    (
        "minimax_m3",
        ']<]minimax[>[<invoke name="f">]<]minimax[>[<a>1]<]minimax[>[</a>]<]minimax[>[<b>never en',
        "",
        [("f", '{"a": 1, "b": "never en')],
    ),
    (
        "minimax_m3",
        ']<]minimax[>[<invoke name="f">]<]minimax[>[<a>1]<]minimax[>[</a>]<]minimax[>[<b>]<]minimax[>[<c>2',
        "",
        [("f", '{"a": 1')],
    ),
    ("minimax_m3", "]<]minimax[>[<tool_call>none", "]<]minimax[>[<tool_call>none", []),
    ("minimax_m3", ']<]minimax[>[<invoke name="f">none', ']<]minimax[>[<invoke name="f">none', []),
    ("minimax_m3", "A mark: ]<]minimax[>[", "A mark: ]<]minimax[>[", []),
    (
        "hy3",
        "<tool_call>get_weather<tool_sep><arg_key>days</arg_key><arg_value>3</arg_value><arg_key>city</arg_key>"
        "<arg_value>Par</arg_v",
        "",
        [("get_weather", '{"days": 3, "city": "Par')],
    ),
    ("hy3", "<tool_calls>none</tool_calls>", "<tool_calls>none</tool_calls>", []),
    ("hy3", "<tool_call>get_weather<arg_key>", "<tool_call>get_weather<arg_key>", []),
    (
        "hy4",
        "<tool_calls>\n<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value>7</arg_value>\n</tool_call>\n"
        "</tool_calls>Bye",
        "Bye",
        [("get_weather", {"city": "7"})],
    ),
    (
        "kimi",
        '<|tool_call_begin|>f<|tool_call_argument_begin|>{"a": 1}<|tool_call_end|>',
        "",
        [("f", {"a": 1})],
    ),
    ("kimi", '<|tool_call_begin|>functions.a.b:12<|tool_call_argument_begin|>{"a', "", [("a.b", '{"a')]),
    ("kimi", "<|tool_calls_section_begin|>none", "<|tool_calls_section_begin|>none", []),
    ("kimi", "<|tool_call_begin|>no name", "<|tool_call_begin|>no name", []),
    (
        "command",
        '<|START_ACTION|>[{"tool_name": "f", "parameters": {"a": 1}}]<|END_ACTION|>Bye',
        "Bye",
        [("f", {"a": 1})],
    ),
    ("command", "<|START_ACTION|>[]<|END_ACTION|>", "<|START_ACTION|>[]<|END_ACTION|>", []),
    (
        "nemotron",
        '<TOOLCALL>[{"name": "f", "arguments": {"a": 1}}]</TOOLCALL>\nBye',
        "Bye",
        [("f", {"a": 1})],
    ),
    ("nemotron", "<TOOLCALL>[]</TOOLCALL>", "<TOOLCALL>[]</TOOLCALL>", []),
    ("apriel", '<tool_calls>\n[{"name": "f", "arguments": {"a', "", [("f", '{"a')]),
    (
        "apriel",
        '<tool_calls>[{"name": "get_time", "arguments": {}, "id": "call_1"}]</tool_calls>',
        "",
        [NOW],
    ),
    ("functools", ' functools[{"name": "f", "arguments": {"a": 1}}]', "", [("f", {"a": 1})]),
    ("functools", "Use functools.partial, or functools[0].", "Use functools.partial, or functools[0].", []),
    ("apertus", '<|tools_prefix|>[{"f": {"a": "}]"}}]<|tools_suffix|>Bye', "Bye", [("f", {"a": "}]"})]),
    ("apertus", "<|tools_prefix|>[{}]<|tools_suffix|>", "<|tools_prefix|>[{}]<|tools_suffix|>", []),
    ("apertus", '<|tools_prefix|>[{"f": {"a', "", [("f", '{"a')]),
    (
        "phi4",
        '<|tool_call|>[{"name": "f", "arguments": {"a": 1}}, {"name": "get_time"}]<|/tool_call|>',
        "",
        [("f", {"a": 1}), NOW],
    ),
    ("phi4", "<|tool_call|>none<|/tool_call|>", "<|tool_call|>none<|/tool_call|>", []),
    (
        "internlm",
        '<|action_start|><|plugin|>{"name": "f", "arguments": {"a": 1}}<|action_end|>Bye',
        "Bye",
        [("f", {"a": 1})],
    ),
    ("internlm", "<|action_start|><|interpreter|>1", "<|action_start|><|interpreter|>1", []),
    ("xlam", '[{"name": "other", "arguments": {}}]', '[{"name": "other", "arguments": {}}]', []),
    ("xlam", '```json\n[{"name": "get_time", "arguments": {}}]\n```', "", [NOW]),
    ("olmo3", "<function_calls>get_time()</function_calls> Bye", "Bye", [NOW]),
    (
        "olmo3",
        "<function_calls>\nf(a='x, )', b=true)\nf(a=null)\n</function_calls>",
        "",
        [("f", {"a": "x, )", "b": True}), ("f", {"a": None})],
    ),
    ("olmo3", "<function_calls>\nnone\n</function_calls>", "<function_calls>\nnone\n</function_calls>", []),
    (
        "dsml",
        '<｜DSML｜invoke name="get_weather"><｜DSML｜parameter name="city" string="true">12</｜DSML｜parameter>'
        '<｜DSML｜parameter name="days" string="false">12</｜DSML｜parameter></｜DSML｜invoke>',
        "",
        [("get_weather", {"city": "12", "days": 12})],
    ),
    (  # the flag decides, not the schema
        "dsml",
        '<｜DSML｜function_calls><｜DSML｜invoke name="get_weather"><｜DSML｜parameter name="city" string="false">'
        '{"name": "</｜DSML｜parameter>"}</｜DSML｜parameter>\n<｜DSML｜parameter name="days" string="true">3'
        "</｜DSML｜parameter></｜DSML｜invoke></｜DSML｜function_calls>",
        "",
        [("get_weather", {"city": {"name": "</｜DSML｜parameter>"}, "days": "3"})],
    ),
    (
        "dsml",
        '<｜DSML｜invoke name="f"><｜DSML｜parameter name="a" string="true">never en',
        "",
        [("f", '{"a": "never en')],
    ),
    ("dsml", "<｜DSML｜function_calls>none", "<｜DSML｜function_calls>none", []),
    (
        "dsml_v4",
        '<｜DSML｜tool_calls><｜DSML｜invoke name="f">',
        '<｜DSML｜tool_calls><｜DSML｜invoke name="f">',
        [],
    ),
    (
        "gigachat3",
        'I look.<|message_sep|>\n\nfunction call<|role_sep|>\n{"name": "get_time", "arguments": {}}'
        "<|message_sep|>\n\n",
        "I look.",
        [NOW],
    ),
    (
        "kimi_k3",
        "I look.<|close|>response<|sep|><|open|>tools<|sep|>"
        '<|open|>call tool="get_weather" index="1"<|sep|><|open|>argument key="city" type="string"<|sep|>12'
        '<|close|>argument<|sep|><|open|>argument key="days" type="number"<|sep|>12<|close|>argument<|sep|>'
        "<|close|>call<|sep|><|close|>tools<|sep|><|close|>message<|sep|>",
        "I look.",
        [("get_weather", {"city": "12", "days": 12})],
    ),
    ("kimi_k3", "It is sunny.<|close|>response<|sep|><|close|>message<|sep|>", "It is sunny.", []),
    (
        "kimi_k3",
        '<|open|>call tool="f" index="1"<|sep|><|open|>json type="object"<|sep|>{"a": 1}<|close|>json<|sep|>'
        "<|close|>call<|sep|>",
        "",
        [("f", {"a": 1})],
    ),
    ("kimi_k3", "<|open|>tools<|sep|>none", "<|open|>tools<|sep|>none", []),
    (
        "kimi_k3",
        '<|open|>call tool="f" index="1"<|sep|><|open|>argument key="a" type="string"<|sep|>never en',
        "",
        [("f", '{"a": "never en')],
    ),
    ("gigachat3", "It is sunny.<|message_sep|>\n\n", "It is sunny.", []),
    ("gigachat3", "A function call<|role_sep|>none", "A function call<|role_sep|>none", []),
    ("gigachat3", 'function call<|role_sep|>{"name": "f", "arguments": {"a', "", [("f", '{"a')]),
    ("gigachat31", 'I look.<|function_call|>{"name": "get_time"}', "I look.", [NOW]),
    ("gigachat31", "<|function_call|>none", "<|function_call|>none", []),
    (
        "solar",
        "<|content|>I look.<|end|><|begin|>assistant<|tool_calls|><|tool_call:begin|>0<|tool_call:name|>get_time"
        "<|tool_call:args|>{}<|tool_call:end|><|calls|>",
        "I look.",
        [NOW],
    ),
    ("solar", "<|content|>It is sunny.<|flush|>", "It is sunny.", []),
    ("solar", '<|tool_call:begin|><|tool_call:name|>f<|tool_call:args|>{"a', "", [("f", '{"a')]),
    ("solar", "<|tool_calls|>none", "<|tool_calls|>none", []),
    ("solar", "<|tool_call:begin|>f<|tool_call:args|>{}", "<|tool_call:begin|>f<|tool_call:args|>{}", []),
    (
        "minicpm5",
        '<function name="get_weather"><param name="days">3</param><param name="city"><![CDATA[</param>\n<&]]></param>'
        "</function> Bye",
        "Bye",
        [("get_weather", {"days": 3, "city": "</param>\n<&"})],
    ),
    (
        "minicpm5",
        '<function name="f"><param name="a"><![CDATA[never en]]',
        "",
        [("f", '{"a": "never en')],
    ),
    (
        "minicpm5",
        '<function name="get_weather"><param>x</param></function>',
        '<function name="get_weather"><param>x</param></function>',
        [],
    ),
    (
        "atem",
        " to=user<|message|>I look.<|eom|><|start|>assistant to=get_time.get_time<|message|><atem:function_calls>\n"
        '<atem:invoke name="get_time.get_time">\n</atem:invoke>\n</atem:function_calls><|eot|>',
        "I look.",
        [NOW],
    ),
    (
        "atem",
        ' to=get_weather<|message|><atem:invoke name="get_weather"><atem:parameter name="days">3</atem:parameter>'
        '<atem:parameter name="city">7 <b></atem:parameter></atem:invoke><atem:invoke name="get_time"></atem:invoke>',
        "",
        [("get_weather", {"days": 3, "city": "7 <b>"}), NOW],
    ),
    (
        "atem",
        ' to=calendar.get<|message|><atem:function_calls>\n<atem:invoke name="calendar.get">\n'
        '<atem:parameter name="a">never en',
        "",
        [("calendar.get", '{"a": "never en')],
    ),
    (
        "atem",
        ' to=user<|message|>Write <atem:invoke name="f"></atem:invoke> and to=f.<|eot|>',
        'Write <atem:invoke name="f"></atem:invoke> and to=f.',
        [],
    ),
    ("atem", " to=get_time<|message|><atem:function_calls>none<|eot|>", "<atem:function_calls>none", []),
    ("atem", "<|start|>user to=x", "<|start|>user to=x", []),
    ("atem", "<|message|>It is sunny.<|eot|>", "It is sunny.", []),
    ("functionary_32", "all\nIt is sunny.", "It is sunny.", []),
    ("functionary_32", "all\nI look.>>>get_time\n{}", "I look.", [NOW]),
    ("functionary_32", '>>>get_weather\n{"city": "Pa', "", [("get_weather", '{"city": "Pa')]),
    ("functionary_32", "all\n>>> x = 1\n>>>get_time", ">>> x = 1\n>>>get_time", []),
    ("functionary_32", "python\nprint(1)", "python\nprint(1)", []),
    ("functionary", '<function=f>\n{"a": 1}\n</function>Bye', "Bye", [("f", {"a": 1})]),
    ("functionary", "<function=f>", "", [("f", "")]),
    ("functionary", "<function=f>no</function>", "<function=f>no</function>", []),
    (
        "qwen_coder",
        "<function=get_weather>\n<parameter=days>\n3\n</parameter>\n<parameter=city>\n7\n</parameter>\n</function>",
        "",
        [("get_weather", {"days": 3, "city": "7"})],
    ),
    (
        "qwen_coder",
        "<tool_call>\n<function=f>\n<parameter=a>\ntwo\nlines\n</parameter>\n<parameter=b>\nTrue\n</parameter>\n</function>\n</tool_call>",
        "",
        [("f", {"a": "two\nlines", "b": True})],
    ),
    (
        "qwen_coder",
        "<tool_call>\n<function=f>\n<parameter=a>\nnever en",
        "",
        [("f", '{"a": "never en')],
    ),
    (
        "qwen_coder",
        "<tool_call>\n<function=get_weather>\n<parameter=city>\n</function> and </tool_call>\n</parameter>\n"
        '<parameter=x>\n["\\n</parameter>"]\n</parameter>\n</function>\n</tool_call>',
        "",
        [("get_weather", {"city": "</function> and </tool_call>", "x": ["\n</parameter>"]})],
    ),
    (
        "qwen_coder",
        "<tool_call>\n<function=f>\n<parameter=a>12345678901234567890</parameter></function>",
        "",
        [("f", {"a": 12345678901234567890})],
    ),
    ("qwen_coder", "Write <function=f> for this.", "Write <function=f> for this.", []),
    ("llama3", '<|python_tag|>{"type": "function", "name": "get_time", "parameters": {}}', "", [NOW]),
    ("llama3", 'Sure.\n\n{"name": "get_time", "parameters": {}}', "Sure.", [NOW]),
    ("llama3", '{"name": "Ann", "parameters": {}}', '{"name": "Ann", "parameters": {}}', []),
    ("llama3", '<|python_tag|>print("hi")', '<|python_tag|>print("hi")', []),
    ("mistral", '[TOOL_CALLS]get_weather[CALL_ID]VvvODy9mT[ARGS]{"city": "Paris"}', "", [PARIS]),
    ("mistral", '[TOOL_CALLS]get_weather{"city": "Paris"}', "", [PARIS]),
    ("mistral", "[TOOL_CALLS] none", "[TOOL_CALLS] none", []),
    ("mistral", "[TOOL_CALLS]get_weather[ARGS]", "", [("get_weather", "")]),
    (
        "mistral_list",
        '[TOOL_CALLS][{"name": "get_time", "arguments": {}, "id": "VvvODy9mT"}, 3]',
        ", 3]",
        [NOW],
    ),
    (
        "gemma4",
        '<|tool_call>call:f{a:[1,{b:true,c:null}],d:<|"|>{x},"<|"|>}<tool_call|>',
        "",
        [("f", {"a": [1, {"b": True, "c": None}], "d": '{x},"'})],
    ),
    ("gemma4", "<|tool_call>call:f{a:}<tool_call|>", "<|tool_call>call:f{a:}<tool_call|>", []),
    ("gemma4", '<|tool_call>call:f{a:<|"|>b', "", [("f", '{"a": "b')]),
    (
        "gemma4",
        '<|tool_call>call:f{<|"|>xml:lang<|"|>:<|"|><tool_call|><|"|>,$a.b:{c:[]}}<tool_call|>',
        "",
        [("f", {"xml:lang": "<tool_call|>", "$a.b": {"c": []}})],
    ),
    ("deepseek_v3", "<｜tool▁calls▁begin｜>none", "<｜tool▁calls▁begin｜>none", []),
    (
        "deepseek_v31",
        '<｜tool▁call▁begin｜>get_weather<｜tool▁sep｜>{"city": "Pa',
        "",
        [("get_weather", '{"city": "Pa')],
    ),
    (
        "glm",
        "<tool_call>get_weather<arg_key>city</arg_key><arg_value>12</arg_value><arg_key>days</arg_key><arg_value>12</arg_value></tool_call>",
        "",
        [("get_weather", {"city": "12", "days": 12})],
    ),
    (
        "glm",
        '<tool_call>f\n<arg_key>a</arg_key>\n<arg_value>["</arg_value>"]</arg_value>\n</tool_call>',
        "",
        [("f", {"a": ["</arg_value>"]})],
    ),
    (
        "glm",
        "<tool_call>get_weather\n<arg_key>city</arg_key>\n<arg_value></tool_call></arg_value>\n</tool_call>",
        "",
        [("get_weather", {"city": "</tool_call>"})],
    ),
    (
        "glm",
        "<tool_call>get_weather\n<arg_key>days</arg_key>\n<arg_value>3</arg_value>\n<arg_key>city</arg_key>\n"
        "<arg_value>Par</arg_v",
        "",
        [("get_weather", '{"days": 3, "city": "Par')],
    ),
    ("glm", "<tool_call>get_weather\n<arg_key>city", "<tool_call>get_weather\n<arg_key>city", []),
    (
        "lfm2",
        "<|tool_call_start|>[f(a='x', b=[1, -2.5], c={'d': None}, e=true)]<|tool_call_end|>Done.",
        "Done.",
        [("f", {"a": "x", "b": [1, -2.5], "c": {"d": None}, "e": True})],
    ),
    ("lfm2", '<|tool_call_start|>[{"name": "get_time", "arguments": {}}]<|tool_call_end|>', "", [NOW]),
    (
        "lfm2",
        '<|tool_call_start|>[f(xml:lang="a", $filter=1, **{"two words": "<|tool_call_end|>"})]<|tool_call_end|>',
        "",
        [("f", {"xml:lang": "a", "$filter": 1, "two words": "<|tool_call_end|>"})],
    ),
    (
        "lfm2",
        '<|tool_call_start|>[get_time(), f(a=[1, "Par',
        "",
        [NOW, ("f", '{"a": [1, "Par')],
    ),
    ("lfm2", "<|tool_call_start|>[get_ti", "<|tool_call_start|>[get_ti", []),
    ("lfm2", "<|tool_call_start|>[f(1)]<|tool_call_end|>", "<|tool_call_start|>[f(1)]<|tool_call_end|>", []),
    (
        "lfm2",
        "<|tool_call_start|>[f(a='\\ud800')]<|tool_call_end|>",
        "<|tool_call_start|>[f(a='\\ud800')]<|tool_call_end|>",
        [],
    ),
    (
        "lfm2",
        "<|tool_call_start|>[f(a=1e999)]<|tool_call_end|>",
        "<|tool_call_start|>[f(a=1e999)]<|tool_call_end|>",
        [],
    ),
    ("pythonic", '<|python_start|>[get_weather(city="Paris")]<|python_end|>', "", [PARIS]),
    ("pythonic", 'Sure:\n```tool_code\nprint(get_weather(city="Paris"))\n```', "Sure:", [PARIS]),
    ("pythonic", '[get_weather(city="[Paris]")]', "", [("get_weather", {"city": "[Paris]"})]),
    ("pythonic", "[1] A footnote.\n[other(a=1)]", "[1] A footnote.\n[other(a=1)]", []),
    (
        "pythonic",
        "[get_time(), plan-trip(from='Rome', class=\"a, (b\")]",
        "",
        [NOW, ("plan-trip", {"from": "Rome", "class": "a, (b"})],
    ),
    ("pythonic", "```python\nprint(1)\n```", "```python\nprint(1)\n```", []),
    ("harmony", "<|channel|>final<|message|>It is sunny.", "It is sunny.", []),
    (
        "harmony",
        '<|channel|>commentary<|message|>I look.<|end|><|start|>assistant to=functions.get_weather<|channel|>commentary json<|message|>{"city": "Paris"}<|call|>',
        "I look.",
        [PARIS],
    ),
    (
        "harmony",
        '<|channel|>commentary to=functions.f <|constrain|>json<|message|>{"a": "<|end|>"}<|call|>',
        "",
        [("f", {"a": "<|end|>"})],
    ),
    ("harmony", "Hello", "Hello", []),
    ("harmony", "<|channel|>commentary to=assistant<|channel|>final<|message|>Sunny.", "Sunny.", []),
    ("harmony", "<|channel|>commentary to=user<|message|>Sunny.", "Sunny.", []),
    ("harmony", "<|channel|>final to=assistant<|message|>Sunny.", "Sunny.", []),
    (
        "harmony",
        "<|channel|>commentary to=get_time <|constrain|>json<|message|>{}",
        "",
        [NOW],
    ),
    ("harmony", "<|channel|>analysis", "<|channel|>analysis", []),
    (
        "plain",
        'Of course:\n```json\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n```\nWait.',
        "Of course:\nWait.",
        [PARIS],
    ),
    ("plain", '[{"name": "get_time", "arguments": {}}]', "", [NOW]),
    ("plain", '```json\n{"a": 1}\n```', '```json\n{"a": 1}\n```', []),
    ("plain", '  {"name": "get_time", "arguments": {}}  \n', "", [NOW]),
    ("plain", "\n Hello, you.\n\nBye.\n", "\n Hello, you.\n\nBye.\n", []),
]


def read(tool_format: ToolFormat, pieces: Sequence[str], tools: Sequence[Tool] = TOOLS) -> list[Event]:
    """The events of an answer that arrives in pieces."""
    parser = AnswerParser(AnswerStyle(tool_format, None), tools, call_key="key")
    events = [event for piece in pieces for event in parser.push(piece)]
    return join_events([*events, *parser.finish()])


def split_events(events: Sequence[Event]) -> tuple[str, list[tuple[str, Any]]]:
    """The text of an answer, and its calls, whose arguments are parsed if they are JSON."""
    text = "".join(event.text for event in events if isinstance(event, Text))
    calls = []
    for event in events:
        if isinstance(event, ToolCallDelta):
            try:
                arguments: Any = json.loads(event.arguments)
            except ValueError:
                arguments = event.arguments
            calls.append((event.name, arguments))
    return text, calls


def grammar(expression: str, lark: Lark) -> str:
    lark.add(expression, "start")
    return str(lark)


@pytest.fixture(scope="module")
def ll_tokenizer() -> LLTokenizer:
    return LLTokenizer(str(embedded_model() / "tokenizer.json"))


def accepts(tokenizer: LLTokenizer, grammar: str, text: str) -> bool:
    """Whether a grammar accepts a text as a whole."""
    matcher = LLMatcher(tokenizer, grammar, log_level=0)
    assert not matcher.is_error(), matcher.get_error()
    tokens = tokenizer.tokenize_str(text)
    return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()


def call_text(name: str) -> str:
    """The example of a format without the text before the calls."""
    return EXAMPLES[name].removeprefix("Let me see.").lstrip("\n")


def test_each_format_has_an_example() -> None:
    assert BY_NAME.keys() == EXAMPLES.keys()


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_calls_of_each_format_are_read(name: str) -> None:
    text, calls = split_events(read(BY_NAME[name], [EXAMPLES[name]]))
    assert text == ("Let me see." if EXAMPLES[name].startswith("Let") else "")
    assert calls == ([PARIS, NOW] if BY_NAME[name].is_parallel else [PARIS])


@pytest.mark.parametrize(("name", "text", "expected_text", "expected_calls"), VARIANTS)
def test_what_is_written_otherwise_is_a_call_or_text(
    name: str, text: str, expected_text: str, expected_calls: list[tuple[str, Any]]
) -> None:
    assert split_events(read(BY_NAME[name], [text])) == (expected_text, expected_calls)


@pytest.mark.parametrize("name", EXAMPLES)
@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_any_split_gives_the_same_events(name: str, data: st.DataObject) -> None:
    fragments = [EXAMPLES[name], *(text for other, text, *_ in VARIANTS if other == name)]
    marks = [*BY_NAME[name].special_tokens, "{", "}", '"', "\n", "[", "]", "(", "name", " word "]
    parts = data.draw(st.lists(st.sampled_from(fragments + marks), min_size=1, max_size=6))
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=30)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    assert read(BY_NAME[name], pieces) == read(BY_NAME[name], [text])


@pytest.mark.parametrize("name", EXAMPLES)
def test_text_without_calls_stays_as_it_is(name: str) -> None:
    text = " A { text [with] <marks> ```of``` \"many\" kinds: {'a': 1}.\n\n- One.\n- Two. \n"
    assert read(BY_NAME[name], [text]) == [Text(text)]
    assert read(BY_NAME[name], [text], tools=()) == [Text(text)]


@pytest.mark.parametrize("name", ["hermes", "llama3", "mistral", "deepseek_v31", "harmony", "plain"])
def test_arguments_arrive_while_they_are_written(name: str) -> None:
    parser = AnswerParser(AnswerStyle(BY_NAME[name], None), TOOLS)
    start, piece, _ = call_text(name).partition('{"city"')
    (first,) = parser.push(start + piece)
    assert (first.index, first.name, first.arguments) == (0, "get_weather", '{"city"')
    assert first.id.startswith("call_") and first.id[5:].isdigit()
    assert parser.push(': "Pa') == [ToolCallDelta(0, None, None, ': "Pa')]
    assert parser.has_calls


# What may come between the marks of a call, again and again.
PIECES = (" ", "\n", "]", ")]", "'", '"', "[", "1,", "1+", "-", "<arg_key>", "</arg_key><arg_value>")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", EXAMPLES)
def test_long_answers_are_read_in_linear_time(name: str) -> None:
    for piece, place in itertools.product(PIECES, ("get_weather", "city", "Paris")):
        start, mark, end = call_text(name).partition(place)
        text = start + mark + piece * (150_000 // len(piece)) + end
        assert read(BY_NAME[name], [text[i : i + 20_000] for i in range(0, len(text), 20_000)])


@pytest.mark.parametrize("channel", ["analysis", "commentary"])
@pytest.mark.parametrize("recipient", ["python", "container.exec", "browser.search"])
def test_a_message_to_a_tool_that_nobody_offered_is_left_out(channel: str, recipient: str) -> None:
    message = f"<|channel|>{channel} to={recipient} <|constrain|>code<|message|>print(1)<|end|>"
    before = f"<|start|>assistant to={recipient}<|channel|>{channel}<|message|>print(1)<|call|>"
    answer = "<|start|>assistant<|channel|>final<|message|>One."
    assert read(BY_NAME["harmony"], [message + before + answer]) == [Text("One.")]
    assert read(BY_NAME["harmony"], [message + before + answer], tools=()) == [Text("One.")]
    offered = Tool(name=recipient)
    ((_, arguments),) = split_events(read(BY_NAME["harmony"], [message], [offered]))[1]
    assert arguments == "print(1)"


def test_calls_without_tools_are_text() -> None:
    assert read(BY_NAME["hermes"], [EXAMPLES["hermes"]], tools=()) == [Text(EXAMPLES["hermes"])]


def test_ids_depend_on_the_key_and_the_number_of_the_call_alone() -> None:
    def ids(key: str) -> list[str]:
        parser = AnswerParser(AnswerStyle(PLAIN, None), TOOLS, call_key=key)
        events = [*parser.push(EXAMPLES["plain"]), *parser.finish()]
        return [event.id for event in events if isinstance(event, ToolCallDelta) and event.id]

    assert ids("a") == ids("a")
    assert len({*ids("a"), *ids("b")}) == 4


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_grammar_accepts_what_the_model_writes(name: str, ll_tokenizer: LLTokenizer) -> None:
    tool_format, text = BY_NAME[name], call_text(name)
    lark = Lark({})
    required = grammar(tool_format.calls(lark, TOOLS, parallel=True), lark)
    assert accepts(ll_tokenizer, required, text)
    assert not accepts(ll_tokenizer, required, text[:-1])
    assert not accepts(ll_tokenizer, required, "Hello.")
    for old, new in (("city", "town"), ("get_weather", "get_whether")):
        assert not accepts(ll_tokenizer, required, text.replace(old, new))
    lark = Lark({})
    single = grammar(tool_format.calls(lark, TOOLS, parallel=False), lark)
    assert accepts(ll_tokenizer, single, text) != tool_format.is_parallel
    lark = Lark({})
    named = grammar(tool_format.calls(lark, [TIME], parallel=False), lark)
    assert not accepts(ll_tokenizer, named, text)


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_grammar_for_text_or_calls_lets_no_wrong_call_pass(name: str, ll_tokenizer: LLTokenizer) -> None:
    text_start, lark = BY_NAME[name].text_start, Lark({})
    auto = grammar(BY_NAME[name].text_or_calls(lark, TOOLS, True), lark)
    for text in ("Hello, you.\n\nBye {a}.", "Hello!\n" + call_text(name)):
        assert accepts(ll_tokenizer, auto, text_start + text)
    assert accepts(ll_tokenizer, auto, call_text(name))
    for start in ("Hello!\n", "") if BY_NAME[name].open_header is None else ("",):
        assert not accepts(ll_tokenizer, auto, start + call_text(name).replace("city", "town"))


def test_tags_have_the_suffix_of_the_template(ll_tokenizer: LLTokenizer) -> None:
    hunyuan = recognize(
        "{% if tools %}<tool_calls:a1><tool_call:a1>{{ name }}<tool_sep:a1><arg_key:a1>{% endif %}"
    )
    text = re.sub(r"<(/?\w+)>", r"<\1:a1>", EXAMPLES["hy3"])
    assert split_events(read(hunyuan, [text])) == ("Let me see.", [PARIS, NOW])
    lark = Lark({})
    calls = grammar(hunyuan.calls(lark, TOOLS, parallel=True), lark)
    assert accepts(ll_tokenizer, calls, text.removeprefix("Let me see."))
    assert not accepts(ll_tokenizer, calls, call_text("hy3"))


# A schema with all that a format may have to write in its own way. All is bounded, so that random texts end.
TRIP = Tool(
    name="plan_trip",
    parameters={
        "type": "object",
        "properties": {
            "note": {"type": "string", "maxLength": 8},
            "people": {"type": "integer", "minimum": 1, "maximum": 9},
            "code": {"type": "string", "pattern": "^[A-Z]{2}[0-9]$"},
            "class": {"enum": ["first", "second"]},
            "stops": {"type": "array", "items": {"$ref": "#/$defs/stop"}, "minItems": 1, "maxItems": 2},
            "meal": {"type": ["boolean", "null"]},
            "price": {"anyOf": [{"type": "null"}, {"const": 2.5}]},
        },
        "required": ["people", "stops", "price"],
        "$defs": {
            "stop": {
                "type": "object",
                "properties": {"place": {"enum": ["here", "there", 3]}, "first": {"type": "boolean"}},
                "required": ["place"],
                "additionalProperties": False,
            }
        },
        "additionalProperties": False,
    },
    strict=True,
)


def random_text(tokenizer: LLTokenizer, grammar: str, seed: int) -> str:
    """A text that a grammar accepts, of tokens that are chosen at random."""
    choices, matcher, tokens = random.Random(seed), LLMatcher(tokenizer, grammar, log_level=0), []
    assert not matcher.is_error(), matcher.get_error()
    while not matcher.is_stopped():
        mask = matcher.compute_bitmask()
        allowed = [i for i in range(tokenizer.vocab_size) if mask[i // 8] >> (i % 8) & 1]
        token = choices.choice(allowed)
        assert matcher.consume_token(token)
        tokens.append(token)
    assert matcher.stop_reason() in ("NoExtension", "EndOfSentence")
    return tokenizer.decode_str([token for token in tokens if token != tokenizer.eos_token])


@pytest.mark.parametrize("name", EXAMPLES)
def test_what_a_grammar_allows_is_read_as_calls_that_obey_the_schema(
    name: str, ll_tokenizer: LLTokenizer
) -> None:
    for seed in range(4):
        lark = Lark({})
        text = random_text(ll_tokenizer, grammar(BY_NAME[name].calls(lark, [TRIP], False), lark), seed)
        rest, calls = split_events(read(BY_NAME[name], [text], [TRIP]))
        assert rest == "" and [call for call, _ in calls] == ["plan_trip"], text
        jsonschema.validate(calls[0][1], TRIP.parameters)


def test_special_tokens_are_tokens_in_a_grammar() -> None:
    path = str(embedded_model() / "tokenizer.json")
    tokenizer, without_names = Tokenizer.from_file(path), Tokenizer.from_file(path)
    names = ["[TOOL_CALLS]", "[ARGS]", "<|channel|>", "<|message|>", "<|constrain|>"]
    tokenizer.add_special_tokens(names)
    ll_tokenizer = LLTokenizer(tokenizer.to_str())
    ids = {name: tokenizer.token_to_id(name) for name in names}
    for name in ("mistral", "harmony"):
        lark = Lark(ids)
        matcher = LLMatcher(ll_tokenizer, grammar(BY_NAME[name].calls(lark, TOOLS, True), lark), log_level=0)
        tokens = tokenizer.encode(call_text(name), add_special_tokens=False).ids
        assert set(tokens) & set(ids.values())
        assert matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()
        matcher.reset()
        spelled = without_names.encode(call_text(name), add_special_tokens=False).ids
        assert not matcher.try_consume_tokens(spelled)


def test_strict_arguments_need_a_schema_that_can_be_enforced(ll_tokenizer: LLTokenizer) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "minProperties": 1}
    lark = Lark({})
    BY_NAME["glm"].calls(lark, [Tool(name="f", parameters=schema)], True)
    with pytest.raises(InvalidRequest, match=r"'f' is strict.*'minProperties'"):
        BY_NAME["glm"].calls(lark, [Tool(name="f", parameters=schema, strict=True)], True)


@pytest.mark.parametrize(
    ("name", "template"),
    [
        ("hermes", "{% for tool in tools %}...<tool_call>{% endfor %}"),
        ("qwen_coder", "{% if tools %}<tool_call><function=example><parameter=a>{% endif %}"),
        ("glm", "{% if tools %}<tool_call>{name}<arg_key>{key}</arg_key>{% endif %}"),
        ("llama3", '{% if tools %}Respond with {"name": function name, "parameters": ...}{% endif %}'),
        ("llama3", "{% if tools %}<|python_tag|>{% endif %}"),
        ("mistral", "{% if tools %}[AVAILABLE_TOOLS]{% endif %}[TOOL_CALLS]{{ name }}[ARGS]"),
        ("mistral_list", "{% if tools %}[AVAILABLE_TOOLS]{% endif %}[TOOL_CALLS] ["),
        ("gemma4", "{% if tools %}<|tool>{% endif %}<|tool_call>call:"),
        ("function_gemma", "{% if tools %}{% endif %}<start_function_call>call:"),
        ("deepseek_v3", "{% if tools %}{% endif %}<｜tool▁call▁begin｜>function<｜tool▁sep｜>```json"),
        ("deepseek_v31", "{% if tools %}{% endif %}<｜tool▁call▁begin｜>{{ name }}<｜tool▁sep｜>"),
        ("lfm2", "{% if tools %}<|tool_list_start|>{% endif %}"),
        ("pythonic", "{% if tools %}[func_name1(param=value), func_name2(...)]{% endif %}"),
        ("harmony", "{% if tools %}{% endif %}<|start|>assistant<|channel|>final<|message|>"),
        ("plain", "{% for message in messages %}{{ message.tool_calls }}<tool_call>{% endfor %}"),
        ("plain", "{% if tools %}in a way of its own{% endif %}"),
        ("lfm2", '{% set list = "List of tools: [" %}{% for tool in tools %}{% endfor %}'),
        ("seed_oss", "{% if tools %}<seed:tool_call><function=f><parameter=a></seed:tool_call>{% endif %}"),
        ("granite", "{% if tools %}respond with <|tool_call|> followed by a JSON list{% endif %}"),
        ("command", "{% if tools %}write <|START_ACTION|> followed by a list{% endif %}"),
        ("minimax_m3", "{% set mark = ']<]minimax[>[' %}{% if tools %}{{ mark ~ '<tool_call>' }}{% endif %}"),
        ("hy3", "{% set sep = '<tool_sep>' %}<tool_calls>{% if tools %}<tool_call><arg_key>{% endif %}"),
        (
            "hy3",
            "{% if tools %}<tool_calls:a1b2><tool_call:a1b2>{{ name }}<tool_sep:a1b2><arg_key:a1b2>{% endif %}",
        ),
        ("hy4", "{% if tools %}<tool_calls:opensource><arg_key:opensource>{% endif %}"),
        ("minimax", '{% if tools %}<minimax:tool_call><invoke name="f">{% endif %}'),
        (
            "kimi",
            "{% if tools %}<|tool_calls_section_begin|><|tool_call_begin|>{{ id }}<|tool_call_argument_begin|>{% endif %}",
        ),
        ("apriel", "{% if tools %}between <tool_call> tags: <tool_calls>[{}]</tool_calls>{% endif %}"),
        ("nemotron", "{% if tools %}use this format: <TOOLCALL>[{}]</TOOLCALL>{% endif %}"),
        ("phi4", "{% if tools %}{% endif %}<|tool_call|>{{ call }}<|/tool_call|>"),
        ("functools", "{% if tools %}formatted as functools[{}, ...]{% endif %}"),
        ("apertus", "{% if tools %}{% set call = '<|tools_prefix|>' %}{% endif %}"),
        ("internlm", "{% if tools %}{% endif %}<|action_start|><|plugin|>{{ call }}<|action_end|>"),
        ("xlam", "{% if tools %}make calls in a single JSON array{% endif %}"),
        ("olmo3", "{% if tools %}wrapped in <function_calls></function_calls>{% endif %}"),
        ("plain", "{% if tools %}<function_calls><invoke name=f>{% endif %}"),
        ("dsml", "{% if tools %}{% set mark = '｜DSML｜' %}<{{ mark }}function_calls>{% endif %}"),
        ("dsml_v4", "{% if tools %}{% set mark = '｜DSML｜' %}<{{ mark }}tool_calls>{% endif %}"),
        ("kimi_k3", "{% if tools %}{{ '<|open|>' + tag + '<|sep|>' }}<|close|>argument{% endif %}"),
        ("gcml", "{% if tools %}{% set mark = '｜GCML｜' %}<{{ mark }}tool_calls>{% endif %}"),
        ("gigachat3", "{% if tools %}{% endif %}{{ 'function call' + '<|role_sep|>' }}"),
        ("gigachat31", "{% if tools %}{% endif %}{{ 'assistant<|role_sep|>' }}<|function_call|>{{ call }}"),
        ("solar", "{% if tools %}{% endif %}<|tool_call:begin|>{{ id }}<|tool_call:name|><|tool_call:args|>"),
        ("minicpm5", '{% if tools %}<function name="f"><param name="a">b</param></function>{% endif %}'),
        ("functionary_32", "{% if tools %}{% endif %}{{ '>>>all' }}{{ '>>>' + name }}"),
        ("atem", "<|start|>assistant<|message|>{% if tools %}<atem:function_calls>{% endif %}"),
        ("functionary", "{% if tools %}<function=f>{}</function>, or code after <|python_tag|>{% endif %}"),
    ],
)
def test_the_template_tells_the_format(name: str, template: str) -> None:
    assert recognize(template).name == name


def test_a_template_without_tools_gets_them_in_words() -> None:
    call = ToolCall(id="call_1", name="get_weather", arguments='{"city": "Paris"}')
    messages = [
        Message(role="user", content="Weather?"),
        Message(role="assistant", content="I look.", tool_calls=[call]),
        Message(role="tool", tool_call_id="call_1", content="Sunny"),
    ]
    system, user, assistant, result = describe_tools(messages, TOOLS)
    assert [message.role for message in (system, user, assistant, result)] == [
        "system",
        "user",
        "assistant",
        "user",
    ]
    shown = [json.loads(line) for line in system.text.splitlines()[-2:]]
    assert [tool["name"] for tool in shown] == ["get_weather", "get_time"]
    assert shown[0]["parameters"] == WEATHER.parameters
    assert assistant.text == 'I look.\n{"name": "get_weather", "arguments": {"city": "Paris"}}'
    assert assistant.tool_calls is None
    assert result.text == "The result of get_weather:\nSunny"
    # What the model sees of its own call is what the parser reads.
    assert split_events(read(PLAIN, [assistant.text])) == ("I look.", [PARIS])
    joined, *_ = describe_tools([Message(role="system", content="Be kind."), *messages], TOOLS)
    assert joined.text.startswith("Be kind.\n\nYou can call functions.")
    # A template without system messages, in which user and assistant alternate.
    more = [*messages, Message(role="tool", content="12:00", name="get_time")]
    without_system = describe_tools(more, TOOLS, takes_system=False)
    assert [message.role for message in without_system] == ["user", "assistant", "user"]
    assert without_system[0].text.startswith("You can") and without_system[0].text.endswith("\n\nWeather?")
    assert without_system[2].text == "The result of get_weather:\nSunny\n\nThe result of get_time:\n12:00"
