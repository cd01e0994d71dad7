"""Completion scripts for shells, made from the parsers of command lines."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

SHELLS = ("bash", "zsh", "fish")

_BASH = """\
_@FUNCTION@() {
    local current=$2 previous=$3 command= words= word
    for word in "${COMP_WORDS[@]}"; do
        case $word in
            @COMMANDS@) command=$word; break ;;
        esac
    done
    case "$command $previous" in
@VALUES@
    esac
    case $command in
@WORDS@
    esac
}
complete -o filenames -F _@FUNCTION@ @TOOL@
"""


@dataclass(frozen=True)
class Tool:
    """
    A command line: the parser of each command, of one without commands under the empty name.

    `values` are those of an option, such as `--on`, or of what follows a command. Paths may stand in place of those
    whose names are in `paths`, and of all that has no values.
    """

    name: str
    parsers: Mapping[str, argparse.ArgumentParser]
    values: Mapping[str, Sequence[str]]
    paths: Sequence[str] = ()

    @property
    def commands(self) -> list[str]:
        """The names of the commands."""
        return [name for name in self.parsers if name]

    def values_of(self, option: argparse.Action) -> tuple[Sequence[str], bool]:
        """Return the values of an option, and whether it takes a path."""
        name = next((name for name in option.option_strings if name in self.values), "")
        return self.values.get(name, ()), not name or name in self.paths


def completion(shell: str, tools: Sequence[Tool]) -> str:
    """Return the script that completes commands, options and values of tools in a shell, one of SHELLS."""
    if shell == "fish":
        return "".join(f"{line}\n" for tool in tools for line in _fish(tool))
    head = f"#compdef {' '.join(tool.name for tool in tools)}\nautoload -U +X bashcompinit && bashcompinit\n"
    return (head if shell == "zsh" else "") + "".join(map(_bash, tools))


def _options(parser: argparse.ArgumentParser) -> list[argparse.Action]:
    return [action for action in parser._actions if action.option_strings]  # pyright: ignore[reportPrivateUsage]


def _bash(tool: Tool) -> str:
    values: list[str] = []
    for command, parser in tool.parsers.items():
        for option in _options(parser):
            if option.nargs != 0:
                patterns = [f"{command} {name}" for name in option.option_strings]
                values.append(_case(patterns, *tool.values_of(option), ends=True))
    words = [_case([""], [*tool.commands, "--help", "--version"], False)] if tool.commands else []
    for command, parser in tool.parsers.items():
        names = [name for option in _options(parser) for name in option.option_strings]
        takes_path = command not in tool.values or command in tool.paths
        words.append(_case([command], [*tool.values.get(command, ()), *names], takes_path))
    parts = {
        "FUNCTION": tool.name.replace("-", "_"),
        "TOOL": tool.name,
        "COMMANDS": "|".join(tool.commands) or "''",
        "VALUES": "\n".join(values),
        "WORDS": "\n".join(words),
    }
    text = _BASH
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def _case(patterns: Sequence[str], words: Sequence[str], takes_path: bool, *, ends: bool = False) -> str:
    """Return a branch that completes words, and paths."""
    choices = "|".join(f'"{pattern}"' for pattern in patterns)
    path = "-f " if takes_path else ""
    end = "return ;;" if ends else ";;"
    return f'        {choices}) COMPREPLY=($(compgen {path}-W "{" ".join(words)}" -- "$current")); {end}'


def _fish(tool: Tool) -> Iterator[str]:
    start = f"complete -c {tool.name}"
    for command in tool.commands:
        summary = (tool.parsers[command].description or "").partition("\n")[0]
        yield f"{start} -n __fish_use_subcommand -f -a {command} -d {_quoted(summary)}"
    for command, parser in tool.parsers.items():
        when = f" -n {_quoted(f'__fish_seen_subcommand_from {command}')}" if command else ""
        if command in tool.values:
            path = "" if command in tool.paths else " -f"
            yield f"{start}{when}{path} -a {_quoted(' '.join(tool.values[command]))}"
        for option in _options(parser):
            values, takes_path = tool.values_of(option)
            takes = "" if option.nargs == 0 else " -r -F" if takes_path else " -x"
            choices = f" -a {_quoted(' '.join(values))}" if values else ""
            names = " ".join(map(_fish_name, option.option_strings))
            yield f"{start}{when} {names}{takes}{choices} -d {_quoted(option.help or '')}"


def _fish_name(option: str) -> str:
    if option.startswith("--"):
        return f"-l {option[2:]}"
    return f"-s {option[1:]}" if len(option) == 2 else f"-o {option[1:]}"


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'").replace("%%", "%")
    return f"'{escaped}'"
