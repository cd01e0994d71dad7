"""
Output of a command as CHECK lines: SSA names become captures, functions labels.

    func.func @f(%a: i32) -> i32 {             // CHECK-LABEL: func.func @f(
      %0 = arith.addi %a, %a : i32             // CHECK-SAME: [[A:%\\w+]]: i32) -> i32 {
                                               // CHECK-NEXT: [[ADDI:%\\w+]] = arith.addi [[A]], [[A]] : i32
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

MARK = "// -----"
"""Line between the outputs of the parts of a file."""

_IR = re.compile(r'^\s*"?builtin\.module\b', re.MULTILINE)
_FUNCTION = re.compile(
    r"""^\s*(?:"\w+\.func"\(.*\bsym_name\ =\ "(?P<generic>[^"]+)" | \w+\.func\b[^@(]*@(?P<name>[\w$.-]+|"[^"]+"))""",
    re.VERBOSE,
)
_C_FUNCTION = re.compile(r"^\w[\w *]*?\b(?P<name>\w+)\(.*\{$")
_NAME = r"%[\w$.-]*[\w$-]"
_WORD = r"%\w+"
_DEFINITION = re.compile(rf"^\s*{_NAME}(?:, {_NAME})* = ")
_OP = re.compile(r'= "?(?:[\w$]+\.)*([\w$]+)')
_CONSTANT = re.compile(r"constant(?:\"\(\) <\{value =)? (-?\d+|true|false)(?: :|$)")
_TOKEN = re.compile(rf'(?P<string>"(?:\\.|[^"\\])*")|(?P<name>{_NAME})')
_SPECIAL = re.compile(r"(?P<brackets>\[{2,}|\{{2,})|(?P<word>\bRUN:|\bexpected-(?=error|warning|note|remark))")


@dataclass(frozen=True)
class OutputItem:
    """Lines of an output from the definition of the function `symbol` on; without one, those before the first."""

    part: int
    """Number of the part of the file, from 0."""
    symbol: str
    lines: tuple[str, ...]
    is_ir: bool


def items_of(text: str) -> list[OutputItem]:
    """Return the functions of an output, each with the lines up to the next one."""
    is_ir = _IR.search(text) is not None
    items: list[OutputItem] = []
    for part, lines in enumerate(_parts(text.splitlines())):
        starts = {number: name for number, line in enumerate(lines) if (name := _symbol(line, is_ir))}
        ends = [*sorted({0, *starts}), len(lines)]
        for start, end in pairwise(ends):
            items.append(OutputItem(part, starts.get(start, ""), tuple(lines[start:end]), is_ir))
    return items


def _parts(lines: Sequence[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    for line in lines:
        if line == MARK:
            parts.append([])
        else:
            parts[-1].append(line)
    return parts


def _symbol(line: str, is_ir: bool) -> str:
    """Return the name of the function that a line defines, empty where it defines none."""
    match = (_FUNCTION if is_ir else _C_FUNCTION).match(line)
    return (match["name"] or match["generic"]).strip('"') if match else ""


@dataclass(frozen=True)
class Exclusions:
    """Texts that CHECK lines must not have: paths that differ from run to run, and prefixes as names of captures."""

    paths: tuple[str, ...] = ()
    prefixes: frozenset[str] = frozenset()


@dataclass
class Captures:
    """Captures of the SSA names of one function."""

    excluded: Exclusions = Exclusions()
    names: dict[str, str] = field(default_factory=dict[str, str])
    """SSA name -> its capture."""

    def line(self, line: str, is_ir: bool) -> str:
        """Return the text of a CHECK line that matches a line of output."""
        pieces: list[str] = []
        end = 0
        for match in _TOKEN.finditer(line) if is_ir else ():
            if match["name"]:
                pieces += [self.literal(line[end : match.start()]), self._captured(match["name"], line, match.start())]
                end = match.end()
        return "".join([*pieces, self.literal(line[end:])]).strip()

    def literal(self, text: str) -> str:
        """Return the text of a CHECK line that matches a text as it is."""
        paths = "|".join(map(re.escape, self.excluded.paths))
        parts = re.split(paths, text) if paths else [text]
        return "{{.*}}".join(_SPECIAL.sub(_escaped, part) for part in parts)

    def _captured(self, name: str, line: str, start: int) -> str:
        if name in self.names:
            return f"[[{self.names[name]}]]"
        capture = self._unused(_role(name, line, start))
        self.names[name] = capture
        pattern = _WORD if re.fullmatch(_WORD, name) else _NAME
        return f"[[{capture}:{pattern}]]"

    def _unused(self, role: str) -> str:
        """Return a name that no capture of the function has: a role and, where it has a number, the next one."""
        taken = {*self.names.values(), *self.excluded.prefixes}
        numbers = range(len(taken) + 1)
        candidates = [f"{role}{number}" for number in numbers] if role == "ARG" else [role]
        candidates += [f"{role}_{number}" for number in numbers if number]
        return next(name for name in candidates if name not in taken)


def _escaped(match: re.Match[str]) -> str:
    if match["brackets"]:
        return "{{" + "".join(f"\\{bracket}" for bracket in match["brackets"]) + "}}"
    return f"{match['word'][:-1]}{{{{{match['word'][-1]}}}}}"


def _role(name: str, line: str, start: int) -> str:
    """Return the capture's name for an SSA name that first occurs on a line: its hint, or its op or role."""
    if not name[1:2].isdigit():
        return re.sub(r"\W", "_", name[1:]).upper()
    definition = _DEFINITION.match(line)
    if definition is None or start >= definition.end():
        return "IV" if re.search(r"\bfor\b", line[:start]) else "ARG"
    if constant := _CONSTANT.search(line):
        return f"C{constant[1].replace('-', 'M').upper()}"
    op = _OP.search(line)
    return op[1].upper().replace("$", "_") if op else "VALUE"


def check_lines(items: Sequence[OutputItem], prefix: str, excluded: Exclusions = Exclusions()) -> Iterator[str]:
    """
    Yield the comments that match items which follow each other in an output.

    A function's head is a label. Lines that follow on are `-NEXT`. The line of a plain module needs no comment.
    """
    for item in items:
        captures = Captures(excluded)
        directive = ""
        for number, line in enumerate(item.lines):
            if not line.strip() or line == "builtin.module {":
                directive = ""
            elif item.symbol and not number:
                yield from _label(line, prefix, captures, item.is_ir)
                directive = "-NEXT"
            else:
                yield f"// {prefix}{directive}: {captures.line(line, item.is_ir)}"
                directive = "-NEXT"


def _label(line: str, prefix: str, captures: Captures, is_ir: bool) -> Iterator[str]:
    """Yield the comments for the head of a function: a label has no captures."""
    first = next((match.start() for match in _TOKEN.finditer(line) if is_ir and match["name"]), len(line))
    yield f"// {prefix}-LABEL: {captures.literal(line[:first]).strip()}"
    if rest := line[first:]:
        yield f"// {prefix}-SAME: {captures.line(rest, is_ir)}"
