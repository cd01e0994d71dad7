"""Docstrings and error messages of the package, and the rules for their wording that a program can check."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCRIPTS = ("benchmarks", "test/oracles", "test/fuzz", "test/faults")
FOLDERS = ("dialects", "frontend", "passes", "runtime", "targets", *SCRIPTS)
RAISED = ("Diagnostic", "VerifyException")
FIELDS = ("message", "expected", "found", "remedy")

QUESTIONS = r"(what|how|whether|which|where|when|who|whoever|whatever|something|if|is)\b"
OPENINGS = {
    "opens with a question word": re.compile(rf"^{QUESTIONS}", re.IGNORECASE),
    "returns a question word": re.compile(
        r"^(return|yield|append|give|print|let|note|say|add|insert|build|make|do|take)s?,? "
        r"(what|how|which|where|when|who)\b",
        re.IGNORECASE,
    ),
}
# Coinages and the terms to write instead. Allowed: `alike` as an adverb; `price` and `copies`, which name code.
COINAGES: Mapping[str, str] = {
    r"\b(done|kernels) together\b": "fused",
    r"what lies behind": "far memory",
    r"\bhangs? over\b": "partial (border) tile, padding",
    r"\bbegun and not (yet )?waited for|\bunder way\b": "in flight",
    r"fetched ahead|\btiles? take turns\b|\btake turns in\b": "double-buffered, prefetch distance",
    r"\bcopies of (an|the|its|their|each) engine\b": "instances of an engine",
    r"\bhalves (go|goes) to even\b": "round half to even",
    r"turned image|\b(lie|lies|are) side by side\b": "contiguous",
    r"\bused? where (it|they) lies?\b": "in place",
    r"what may overtake": "data hazard",
    r"\bgiven up\b": "evicted, spilled",
    r"\bfirst plan\b": "initial solution",
    r"that no address reaches": "external memory",
    r"\bthe points? where not\b": "counterexample",
    r"\bkept facts\b": "memoised",
    r"\b(kernels|grids) (that are )?alike\b": "structurally equal",
    r"^(estimate the )?price an? ": "estimate the cost of",
}


@dataclass(frozen=True)
class Text:
    """Docstring or error message at a line of a file; `owner` names the module, class, function or exception."""

    file: str
    line: int
    owner: str
    text: str

    @property
    def first(self) -> str:
        """First paragraph on one line."""
        return " ".join(self.text.strip().split("\n\n")[0].split())

    @property
    def place(self) -> str:
        """Place as file:line."""
        return f"{self.file}:{self.line}"


def sources(root: Path = ROOT) -> Iterator[tuple[str, ast.Module]]:
    """Yield the path, relative to the root, and the syntax tree of each module of the package and of scripts."""
    for file in sorted([*root.glob("*.py"), *(f for folder in FOLDERS for f in (root / folder).rglob("*.py"))]):
        yield file.relative_to(root).as_posix(), ast.parse(file.read_bytes())


@cache
def texts(root: Path = ROOT) -> tuple[tuple[Text, ...], tuple[Text, ...]]:
    """Return the docstrings and the messages of all sources."""
    documented: list[Text] = []
    raised: list[Text] = []
    for each in sources(root):  # one tree at a time: the garbage collector visits all that are kept
        documented += docstrings(*each)
        raised += messages(*each)
    return tuple(documented), tuple(raised)


def docstrings(file: str, tree: ast.Module) -> Iterator[Text]:
    """Yield the docstrings of a module."""
    found: list[ast.AST] = [tree]
    for node in found:  # grows
        found += [each for name in _BODIES for each in getattr(node, name, ())]
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            continue
        if (text := ast.get_docstring(node)) is not None:
            yield Text(file, node.body[0].lineno, getattr(node, "name", "module"), text)


_BODIES = ("body", "orelse", "finalbody", "handlers", "cases")
"""Fields of statements that hold statements, or handlers and cases with some."""


def messages(file: str, tree: ast.Module) -> Iterator[Text]:
    """Yield the texts of the errors that a module raises; an expression in an f-string is `{}`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.func.id not in RAISED:
            continue
        given = [("message", node.args[0])] if node.args else []
        given += [(word.arg or "", word.value) for word in node.keywords]
        lines = [f"{name}: {text}" for name, value in given if name in FIELDS and (text := literal(value))]
        if lines:
            yield Text(file, node.lineno, node.func.id, "\n".join(lines))


def literal(node: ast.expr) -> str:
    """Return the text of a string literal or f-string, empty for other expressions."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        return "".join(literal(part) if isinstance(part, ast.Constant) else "{}" for part in node.values)
    return ""


def faults_of(text: Text) -> list[str]:
    """Return the rules that the wording of a docstring breaks, empty if it keeps all."""
    found = [rule for rule, pattern in OPENINGS.items() if pattern.search(text.first)]
    return found + coinages_of(text)


def coinages_of(text: Text) -> list[str]:
    """Return a line for each coinage in a docstring or message, with the term to write instead."""
    plain = " ".join(text.text.split())
    return [
        f"{match.group()!r}: write {term}"
        for pattern, term in COINAGES.items()
        if (match := re.search(pattern, plain, re.IGNORECASE))
    ]
