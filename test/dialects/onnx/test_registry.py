"""Every ONNX operator that the code names is in a registry, so that `tilewright operators` lists each place."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tilewright.cli import main
from tilewright.dialects.onnx import op_types
from tilewright.dialects.onnx.contrib import CONTRIB_SCHEMAS
from tilewright.dialects.onnx.registry import Registry, mentions, places, treated
from tilewright.runtime.tools.operator_places import load, versions_of

ROOT = Path(__file__).parents[3]
SCANNED = ("frontend/**/*.py", "passes/**/*.py", "runtime/**/*.py")

BUILDERS = frozenset(
    (
        # nodes of ONNX
        *("emit", "emit_many", "make", "make_node", "op", "_append", "_arithmetic", "_insert", "_made", "append"),
        # sizes, which nodes compute
        "combine",
        # ops, their classes, and the nodes of patterns, whose rule has a registry
        *("Node", "node", "op_class", "_known", "_row_norm"),
    )
)
"""Functions that make an operator: its name is an argument, or in the expression of the first."""

EXCEPTIONS = {"frontend/zoo/": "networks, which are made of operators"}
"""Folder whose files name operators in no registry -> why."""


class Literal(NamedTuple):
    """Literal that names operators, at a line of a file."""

    line: int
    operators: tuple[str, ...]


@cache
def names() -> frozenset[str]:
    """Return the names of all operators, without their domains."""
    own = (name for domain in ("", "ai.onnx.ml", "ai.onnx.preview.training") for name in op_types(domain))
    return frozenset((*own, *(schema.name for schema in CONTRIB_SCHEMAS)))


def operators_in(text: str) -> tuple[str, ...]:
    """Return the operators that a text lists, none where it has other words too."""
    words = [word.removeprefix("onnx.").rpartition(".")[2] for word in text.split()]
    return tuple(words) if words and names().issuperset(words) else ()


@cache
def _spelling() -> re.Pattern[str]:
    """Return the pattern of an operator at the start of a literal or behind a space: most modules have none."""
    return re.compile(rf"[\"' .](?:{'|'.join(sorted(names()))})[\"' ]")


def literals(source: str) -> Iterator[Literal]:
    """Yield the literals of a module that name operators, but for those of nodes that it makes and of decorators."""
    if not _spelling().search(source):
        return
    passed: set[ast.AST] = set()
    for parent in ast.walk(ast.parse(source)):
        match parent:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=[first, *rest]) if name in BUILDERS:
                passed.update((*ast.walk(first), *rest))
            case ast.Call(func=ast.Name(id="mentions")):
                passed.update(ast.walk(parent))
            case ast.Expr(value=ast.Constant() as text):
                passed.add(text)
            case ast.Constant(value=str(value)) if parent not in passed and (found := operators_in(value)):
                yield Literal(parent.lineno, found)
            case _:
                pass


def escaping(source: str, listed: set[str]) -> list[str]:
    """Return `line: operator` for the operators that a module names and of which it is not `listed` as a place."""
    return [f"{at}: {name}" for at, operators in literals(source) for name in operators if name not in listed]


@cache
def listed() -> dict[Path, set[str]]:
    """Return the operators that each file treats by its registries, without their domains."""
    load()
    operators: dict[Path, set[str]] = {}
    for key, entries in treated().items():
        for place in entries:
            operators.setdefault(place.file, set()).add(key.rpartition(".")[2])
    return operators


@pytest.mark.long
def test_no_operator_is_named_outside_of_the_registries() -> None:
    files = [file for pattern in SCANNED for file in ROOT.glob(pattern)]
    texts = {file: file.relative_to(ROOT).as_posix() for file in files}
    found = {
        name: lines
        for file, name in texts.items()
        if not name.startswith(tuple(EXCEPTIONS))
        if (lines := escaping(file.read_text(encoding="utf-8"), listed().get(file, set())))
    }
    assert found == {}


def test_an_operator_outside_of_the_registries_is_found() -> None:
    tests = 'op.name == "onnx.Conv" or make("Relu", op.op_type in {"Gemm", "other"})'
    source = f'def f(op):\n    """Conv."""\n    return {tests}'
    assert escaping(source, set()) == ["3: Conv", "3: Gemm"]
    assert escaping(source, {"Conv"}) == ["3: Gemm"]
    assert escaping('_MOVES = frozenset("Reshape Transpose".split())', {"Reshape"}) == ["1: Transpose"]


@pytest.mark.long
def test_mentions_are_of_operators_in_the_code() -> None:
    load()
    named = {
        file: {name for at in literals(file.read_text(encoding="utf-8")) for name in at.operators} for file in listed()
    }
    stale = [
        f"{place.file.relative_to(ROOT)}:{place.line} {key}"
        for key, entries in treated().items()
        for place in entries
        if place.aspect == "mention" and key not in named[place.file]
    ]
    assert stale == []


@pytest.mark.long
def test_operators_of_the_page_are_listed_with_their_opsets() -> None:
    load()
    page = (ROOT / "docs" / "onnx-support.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([A-Z]\w+) \| (?:ai\.onnx\.)?([a-z.]+ |)([\d, ]+) \|", page, re.M)
    assert len(rows) > 150
    for name, domain, versions in rows:
        key = ".".join(filter(None, (domain.strip(), name)))
        assert ", ".join(map(str, versions_of(key))) == versions, key
        assert places(key), key


def test_a_place_is_the_line_of_a_rule_or_of_its_registration(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilewright.dialects.onnx.registry._places", {})
    registry: Registry[str, object] = Registry("test of places", {"TestValue": 1})

    @registry.rule("onnx.TestRule")
    @mentions("TestMention")
    def rule() -> None: ...

    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    (value,), (of_rule,), (mention,) = map(places, ("TestValue", "TestRule", "TestMention"))
    assert 'Registry("test of places"' in lines[value.line - 1]
    assert value.function == ""
    assert "@registry.rule" in lines[of_rule.line - 1]
    assert of_rule.function == mention.function == "test_a_place_is_the_line_of_a_rule_or_of_its_registration"
    with pytest.raises(ValueError, match=r"are for onnx\.TestRule"):
        registry.rule("onnx.TestRule")(rule)


@pytest.mark.long
def test_one_operator_is_shown_with_its_facts_and_places(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["operators", "Conv", "--json", str(tmp_path / "conv.json")]) == 0
    out = capsys.readouterr().out
    (entry,) = json.loads((tmp_path / "conv.json").read_text(encoding="utf-8"))
    assert entry["opsets"] == [7, 11, 22]
    assert entry["facts"]["quantised"] == "QLinearConv"
    aspects = {place["aspect"] for place in entry["places"]}
    assert aspects >= {"facts", "import", "lowering", "interpreter", "quantised layer", "recovery of integers"}
    for place in entry["places"]:
        file, line = place["at"].split(":")
        text = (ROOT / file).read_text(encoding="utf-8").splitlines()
        assert place["at"] in out
        assert any(place["function"].rpartition(".")[2] in near for near in text[int(line) - 1 : int(line) + 3])


def test_an_unknown_operator_has_a_remedy(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["operators", "Cnv"]) == 1
    assert "did you mean 'Conv'" in capsys.readouterr().err
