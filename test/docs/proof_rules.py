"""
Write the messages of docs/proof-rules.md: for each rule a program that is refused, and the change that mends it.

    python test/docs/proof_rules.py           # writes the page's messages
    python test/docs/proof_rules.py --check   # fails where the page is not current
"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.test.docs.generated import update

PAGE = Path(__file__).parents[2] / "docs" / "proof-rules.md"
_SECTION = re.compile(
    r"^## (?P<rule>[^\n]+)\n\n[^\n]+\n\n```mlir\n(?P<program>.*?)```\n\n"
    r"```text\n(?P<message>.*?)```\n\nAccepted with (?P<change>[^\n]*)\.$",
    re.MULTILINE | re.DOTALL,
)
_REPLACED = re.compile(r"`(.*)` in place of `(.*)`")
_INSERTED = re.compile(r"`(.*)` before `(.*)`")


class Section(NamedTuple):
    """Rule of the page, and a program that breaks it, with its message."""

    rule: str
    program: str
    message: str
    change: str

    @property
    def proof(self) -> str:
        """The pass that refuses the program."""
        return "verify-levels" if self.rule.startswith("verify-levels") else "verify-memory"

    @property
    def mended(self) -> str:
        """The program with the change."""
        if (match := _REPLACED.fullmatch(self.change)) is not None:
            assert match[2] in self.program, self.change
            return self.program.replace(match[2], match[1])
        match = _INSERTED.fullmatch(self.change)
        assert match is not None, self.change
        assert match[2] in self.program, self.change
        return self.program.replace(match[2], f"{match[1]}\n{match[2]}", 1)


def sections_of(page: str) -> list[Section]:
    """Return the sections of a page, each of one rule."""
    return [
        Section(match["rule"], match["program"], match["message"], match["change"]) for match in _SECTION.finditer(page)
    ]


def refusal(program: str, proof: str) -> Diagnostic | None:
    """Return the error with which a pass refuses a program, None if it accepts it."""
    module = parse_module(new_context(), program, "program.mlir")
    verify(module)
    try:
        PassManager().run(module, parse_pipeline(proof, all_passes()), new_context())
    except Diagnostic as error:
        error.stage = ""
        return error
    return None


def with_messages(page: str) -> str:
    """Return a page with the messages of its programs."""
    for section in sections_of(page):
        error = refusal(section.program, section.proof)
        before, after = (f"{section.program}```\n\n```text\n{text}```" for text in (section.message, f"{error}\n"))
        page = page.replace(before, after)
    return page


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page, or check that it is current."""
    return update(PAGE, __doc__, with_messages, arguments)


if __name__ == "__main__":
    sys.exit(main())
