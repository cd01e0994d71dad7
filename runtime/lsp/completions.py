"""Completion in `.mlir` files, by the text before the cursor: it need not be IR."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from xdsl.context import Context
from xdsl.ir import Operation
from xdsl.irdl import IRDLOperation
from xdsl.passes import ModulePass

from ...passes.core.options import option_infos
from ...passes.core.upstream_names import known_name

_IN_RUN_LINE = re.compile(r"//\s*RUN:")
_WORD = re.compile(r"[\w.-]*$")
_OPTION = re.compile(r"(?:^|\s)(--?[\w-]*)$")
_PASS = re.compile(r"(?:(?:-p|--?passes|--?pass-pipeline)(?:\s+|=)['\"]?|[,(]\s*)([\w.-]*)$")
_PASS_OPTION = re.compile(r"([a-zA-Z0-9_][\w.+-]*)\{(?:[^{}]*\s)?([\w-]*)$")
_ATTRIBUTE = re.compile(r"([#!])([\w$.]*)$")
_SIGIL = re.compile(r"([%@^])([\w$.-]*)$")
_OP_START = re.compile(r"""(?:^|[={}(])\s*"?([a-zA-Z_][\w$.]*)?$""")
_KEY = re.compile(r"""[{,]\s*([a-zA-Z_]\w*)?$""")
_OP_NAME = re.compile(r'(?:^|=|\s)"?([a-zA-Z_]\w*(?:\.\w+)+)"?')


class CompletionKind(Enum):
    """Kind of a completion."""

    DIALECT = "dialect"
    OP = "op"
    TYPE = "type"
    PASS = "pass"
    OPTION = "option"
    KEY = "key"
    NAME = "name"


@dataclass(frozen=True)
class Completion:
    """Completion: `text` replaces the `replaced` characters before the cursor."""

    text: str
    replaced: int
    kind: CompletionKind
    detail: str = ""


@dataclass(frozen=True)
class Vocabulary:
    """Words that are known: of dialects, passes, the options of opt-tool, and their values by option."""

    context: Context
    dialects: Sequence[str]
    passes: Mapping[str, Callable[[], type[ModulePass]]]
    parser: argparse.ArgumentParser
    values: Mapping[str, Sequence[str]]


def complete(text: str, offset: int, words: Vocabulary) -> list[Completion]:
    """Return the completions at a position, those that begin with what stands there."""
    start = text.rfind("\n", 0, offset) + 1
    before = text[start:offset]
    if _IN_RUN_LINE.search(before):
        return _in_run_line(before, words)
    if before.lstrip().startswith("//"):
        return []
    if (match := _ATTRIBUTE.search(before)) is not None:
        return _attributes(text, match[1], match[2], words)
    if (match := _SIGIL.search(before)) is not None:
        return _matching(_names(text, offset, match[1]), match[2], CompletionKind.NAME)
    if (match := _OP_START.search(before)) is not None and "." in (match[1] or ""):
        return _ops(match[1], words)
    if (keys := _keys(before, words)) is not None:
        return keys
    if match is not None:
        return _matching(words.dialects, match[1] or "", CompletionKind.DIALECT)
    return []


def _matching(
    names: Iterable[str], prefix: str, kind: CompletionKind, detail: Callable[[str], str] = lambda name: ""
) -> list[Completion]:
    return [
        Completion(name, len(prefix), kind, detail(name))
        for name in sorted(set(names))
        if name.startswith(prefix) and name != prefix
    ]


def _ops(prefix: str, words: Vocabulary) -> list[Completion]:
    dialect = words.context.get_optional_dialect(prefix.partition(".")[0])
    if dialect is None:
        return []
    summaries = {op.name: (op.__doc__ or "").strip().partition("\n")[0] for op in dialect.operations}
    return _matching(summaries, prefix, CompletionKind.OP, lambda name: summaries[name])


def _attributes(text: str, sigil: str, prefix: str, words: Vocabulary) -> list[Completion]:
    """Return the aliases of the text, and the types or attributes of a dialect, or the dialects."""
    aliases = {match[1] for match in re.finditer(rf"^[ \t]*{re.escape(sigil)}([\w$.-]+)[ \t]*=", text, re.MULTILINE)}
    named = _matching(aliases, prefix, CompletionKind.NAME)
    dialect = words.context.get_optional_dialect(prefix.partition(".")[0]) if "." in prefix else None
    if dialect is None:
        return named + _matching(words.dialects, prefix, CompletionKind.DIALECT)
    return named + _matching((kind.name for kind in dialect.attributes), prefix, CompletionKind.TYPE)


def _names(text: str, offset: int, sigil: str) -> set[str]:
    """Return the names with a sigil in the chunk around a position, that of the cursor itself left out."""
    start = text.rfind("\n// -----", 0, offset) + 1
    end = text.find("\n// -----", offset)
    pattern = re.compile(re.escape(sigil) + r"([\w$.-]+)")
    matches = pattern.finditer(text, start, len(text) if end < 0 else end)
    return {match[1] for match in matches if not match.start() < offset <= match.end()}


def _keys(before: str, words: Vocabulary) -> list[Completion] | None:
    """Return the attributes of the op of a line whose braces are open; None where none are."""
    match = _KEY.search(before)
    depth = before.count("{") - before.count("}")
    names = _OP_NAME.findall(before)
    if match is None or depth <= 0 or not names:
        return None
    kind: type[Operation] | None = words.context.get_optional_op(names[-1])
    if kind is None or not issubclass(kind, IRDLOperation):
        return None
    definition = kind.get_irdl_definition()
    keys = [*definition.properties, *definition.attributes]
    return _matching(keys, match[1] or "", CompletionKind.KEY) if keys else None


def _in_run_line(before: str, words: Vocabulary) -> list[Completion]:
    """Return options, passes and their options: of `-p`, of `--pass-pipeline` and as `--cse`."""
    if (match := _PASS_OPTION.search(before)) is not None:
        return _pass_options(match[1], match[2], words)
    if (match := _OPTION.search(before)) is not None:
        flags = {name: action for action in _actions(words.parser) for name in action.option_strings}
        options = _matching(flags, match[1], CompletionKind.OPTION, lambda name: flags[name].help or "")
        passes = [f"--{name}" for name in words.passes] if match[1].startswith("--") else []
        return options + _matching(passes, match[1], CompletionKind.PASS)
    if (match := _PASS.search(before)) is not None:
        return _matching([*words.passes, "builtin.module", "func.func"], match[1], CompletionKind.PASS)
    option, prefix = before[: _start_of_word(before)].rstrip(" =").rpartition(" ")[2], before[_start_of_word(before) :]
    return _matching(words.values.get(option, ()), prefix, CompletionKind.OPTION)


def _start_of_word(before: str) -> int:
    match = _WORD.search(before)
    return match.start() if match is not None else len(before)


def _actions(parser: argparse.ArgumentParser) -> Sequence[argparse.Action]:
    return parser._actions  # pyright: ignore[reportPrivateUsage]


def _pass_options(name: str, prefix: str, words: Vocabulary) -> list[Completion]:
    load = words.passes.get(name) or words.passes.get(known_name(name))
    if load is None:
        return []
    infos = {info.name: info for info in option_infos(load())}
    return _matching(
        infos, prefix, CompletionKind.OPTION, lambda option: f"{infos[option].type}, default {infos[option].default}"
    )
