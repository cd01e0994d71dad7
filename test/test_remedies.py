"""Remedies of errors name only options that the commands have from which the error can be reached."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tilewright import cli
from tilewright.opt_tool import argument_parser

ROOT = Path(__file__).parent.parent
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
OF_A_TOOL = re.compile(r"(opt-tool|tilewright \w+|\w+\.py) --[a-z-]+")
"""An option of a tool that the remedy names, which may be another than the one that failed."""

MODELS = ("compile", "run", "generate", "check", "profile", "explore")
"""Commands that import a network and compile it."""

REACHED: dict[str, tuple[str, ...]] = {
    "frontend/quantize": ("quantize",),
    "frontend/zoo": (),
    "frontend": (*MODELS, "import", "quantize", "opt-tool"),
    "passes/layout/report.py": ("opt-tool",),
    "passes/mapping/report.py": ("opt-tool",),
    "passes": (*MODELS, "import", "opt-tool"),
    "dialects": (*MODELS, "import", "replay", "opt-tool"),
    "runtime/driver": ("opt-tool",),
    "runtime/interpreter": ("run", "generate", "check", "replay", "opt-tool"),
    "runtime/isolation.py": ("run", "generate", "check", "profile"),
    "runtime/host.py": ("run", "generate", "check"),
    "runtime/tools/generate.py": ("generate",),
    "runtime/tools/explore": ("explore",),
    "runtime/tools/session.py": ("run", "generate", "check", "profile"),
    "opt_tool.py": ("opt-tool",),
    "cli.py": tuple(cli._COMMANDS),  # pyright: ignore[reportPrivateUsage]
    "discovery.py": (*cli._COMMANDS, "opt-tool"),  # pyright: ignore[reportPrivateUsage]
}
"""Module or folder -> the commands that reach its errors, the most special first."""

ELSEWHERE = {
    ("commands.py", "--context"): (*MODELS,),
    ("commands.py", "--extension"): ("run", "check", "profile"),
    ("compiler.py", "--prefill"): ("compile", "generate"),
    ("compiler.py", "--bare"): ("compile",),
    ("compiler.py", "--target"): ("compile",),
}
"""Module with errors of several commands, and an option -> the commands whose errors name it."""


@cache
def options_of(command: str) -> frozenset[str]:
    parser = argument_parser() if command == "opt-tool" else cli._parser_of(command)  # pyright: ignore[reportPrivateUsage]
    return frozenset(flag for action in parser._actions for flag in action.option_strings)  # pyright: ignore[reportPrivateUsage]


def texts(node: ast.AST) -> str:
    constants = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    return " ".join(value for value in constants if isinstance(value, str))


def remedies(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of remedies: arguments, variables and results of functions of that name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from (texts(each.value) for each in node.keywords if each.arg == "remedy")
            name = node.func.id if isinstance(node.func, ast.Name) else ""
            if name in ("Diagnostic", "UsageError") and len(node.args) > 4:
                yield texts(node.args[4])
        elif isinstance(node, ast.Assign) and "remedy" in ast.unparse(node.targets[0]):
            yield texts(node.value)
        elif isinstance(node, ast.FunctionDef) and "remedy" in node.name:
            yield from (texts(each) for each in ast.walk(node) if isinstance(each, ast.Return))


def commands_of(module: str, option: str) -> tuple[str, ...]:
    """Return the commands that reach a module's errors. Raises KeyError for a module of which that is not said."""
    if (module, option) in ELSEWHERE:
        return ELSEWHERE[module, option]
    return REACHED[next((place for place in REACHED if f"{module}/".startswith(f"{place}/")), module)]


def lacking(module: str, text: str) -> list[str]:
    """Return what is wrong with the remedies in the text of a module."""
    found: list[str] = []
    for remedy in remedies(ast.parse(text)):
        for option in OPTION.findall(OF_A_TOOL.sub("", remedy)):
            without = [name for name in commands_of(module, option) if option not in options_of(name)]
            found += [f"{module}: {', '.join(without)} without {option}: {remedy}"] if without else []
    return found


def modules() -> list[str]:
    folders = [path.name for path in ROOT.iterdir() if (path / "__init__.py").is_file() or path.name == "targets"]
    ours = [name for name in folders if name not in ("test", "benchmarks")]
    files = [*ROOT.glob("*.py"), *(file for name in ours for file in (ROOT / name).rglob("*.py"))]
    return sorted(str(file.relative_to(ROOT)) for file in files)


@pytest.mark.nightly
def test_remedies_name_options_that_their_commands_have():
    names = modules()
    assert len(names) > 300
    assert [fault for name in names for fault in lacking(name, (ROOT / name).read_text("utf-8"))] == []


@pytest.mark.parametrize(
    ("module", "text", "fault"),
    [
        ("frontend/x.py", 'Diagnostic("a", remedy="give --prefill")', "without --prefill"),
        ("frontend/quantize/x.py", 'Diagnostic("a", "b", "c", "d", f"give {x} --context")', "without --context"),
        ("passes/x.py", 'def _remedy():\n    return "give --stop-after"', "without --stop-after"),
    ],
)
def test_an_option_that_a_command_lacks_is_found(module: str, text: str, fault: str):
    assert fault in "".join(lacking(module, text))


def test_an_option_of_a_tool_that_is_named_is_its_own():
    assert lacking("passes/x.py", 'Diagnostic("a", remedy="opt-tool --list-passes lists them")') == []
    with pytest.raises(KeyError):
        lacking("unheard/of.py", 'Diagnostic("a", remedy="give --target")')
