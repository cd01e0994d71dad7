"""docs/proof-rules.md has a refused program for each rule, with the message of today and a change that mends it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.passes.proof.rules import RULES, Refusal
from tilewright.test.docs.proof_rules import PAGE, main, refusal, sections_of

pytestmark = pytest.mark.quick

SECTIONS = {section.rule: section for section in sections_of(PAGE.read_text(encoding="utf-8"))}


def test_each_rule_has_a_program() -> None:
    assert RULES.keys() <= SECTIONS.keys()
    assert all(rule.startswith("verify-levels: ") for rule in SECTIONS.keys() - RULES.keys())


@pytest.mark.parametrize("rule", SECTIONS)
def test_programs_are_refused_by_their_rule_and_accepted_with_the_change(rule: str) -> None:
    section = SECTIONS[rule]
    error = refusal(section.program, section.proof)
    assert f"{error}\n" == section.message, "python test/docs/proof_rules.py"
    assert not isinstance(error, Refusal) or error.rule == rule
    assert refusal(section.mended, section.proof) is None


def test_messages_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    section = SECTIONS["race"]
    page = tmp_path / "page.md"
    text = f"## race\n\nIt.\n\n```mlir\n{section.program}```\n\n```text\n```\n\nAccepted with {section.change}.\n"
    page.write_text(text, encoding="utf-8")
    monkeypatch.setattr("tilewright.test.docs.proof_rules.PAGE", page)
    assert main(["--check"]) == 1
    assert main([]) == main(["--check"]) == 0
    assert sections_of(page.read_text(encoding="utf-8")) == [section]
