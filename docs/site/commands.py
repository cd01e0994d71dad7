"""Reference pages of the command-line tools, from their parsers: usage, description and options of each command."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from typing import cast

from tilewright import cli, opt_tool
from tilewright.docs.site.text import GeneratedPage, block, code, escaped, page_file, prose, table, table_text

FOLDER = "reference/commands"


def command_pages() -> Iterator[GeneratedPage]:
    """Yield the page of `opt-tool` and one for each command of `tilewright`, after one that lists them."""
    parsers = dict(_parsers())
    rows = [
        (f"[{name}]({_file(name)})", table_text(escaped((parser.description or "").strip().partition("\n")[0])))
        for name, parser in parsers.items()
    ]
    opening = "# Command line\n\nEvery command answers `--help` with what its page says."
    text = f"{opening}\n\n{table(['command', 'use'], rows)}\n"
    yield GeneratedPage(f"{FOLDER}/index.md", text)
    for name, parser in parsers.items():
        yield GeneratedPage(f"{FOLDER}/{_file(name)}", _page(name, parser), ((name, ""),))


def _parsers() -> Iterator[tuple[str, argparse.ArgumentParser]]:
    yield "opt-tool", opt_tool.argument_parser()
    for command in sorted(cli._commands()):  # pyright: ignore[reportPrivateUsage]
        yield f"tilewright {command}", cli._parser_of(command)  # pyright: ignore[reportPrivateUsage]


def _file(name: str) -> str:
    return page_file(name.replace(" ", "-"))


def _page(name: str, parser: argparse.ArgumentParser) -> str:
    usage = parser.format_usage().removeprefix("usage: ").strip()
    parts = [f"# {name}", prose((parser.description or "").strip(), indent=2), "## Usage", block(usage, "text")]
    for group in parser._action_groups:  # pyright: ignore[reportPrivateUsage]
        actions = [action for action in group._group_actions if action.help != argparse.SUPPRESS]  # pyright: ignore[reportPrivateUsage]
        if actions:
            parts += [f"## {(group.title or '').capitalize()}", prose((group.description or "").strip(), indent=2)]
            parts.append(table(["argument", "meaning"], _rows(actions)))
    return "\n\n".join(filter(None, parts)) + "\n"


def _rows(actions: Iterable[argparse.Action]) -> Iterator[tuple[str, str]]:
    for action in actions:
        values = _values(action)
        spellings = [" ".join(filter(None, (flag, values))) for flag in action.option_strings] or [values]
        yield ", ".join(code(spelling) for spelling in spellings), table_text(escaped(_help(action)))


def _values(action: argparse.Action) -> str:
    """Return the values of an option as its usage shows them."""
    if action.nargs == 0:
        return ""
    metavar = action.metavar
    if isinstance(metavar, tuple):
        return " ".join(metavar)
    if metavar is None and action.choices is not None:
        return "{" + ",".join(map(str, cast("Iterable[object]", action.choices))) + "}"
    name = metavar or action.dest.upper()
    return {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} [{name} ...]"}.get(str(action.nargs), name)


def _help(action: argparse.Action) -> str:
    return (action.help or "").replace("%%", "%")
