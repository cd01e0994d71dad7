"""The wording of docstrings and messages: what a program can check of it (docs/glossary.md has the terms)."""

from __future__ import annotations

import ast

import pytest

from tilewright.test.draw_words import drawn, main
from tilewright.test.words import Text, coinages_of, docstrings, faults_of, messages, texts

pytestmark = pytest.mark.quick

PLANTED = '''
"""What the module does."""

def f():
    """Return what is needed."""
    raise Diagnostic("tiles hang over", found=f"{1} copies of the engine", where="x")

def g():
    """Return the instances of the engine."""
'''


@pytest.mark.nightly
@pytest.mark.long
def test_docstrings_and_messages_keep_the_rules(capsys: pytest.CaptureFixture[str]) -> None:
    documented, raised = texts()
    assert len(documented) > 4000
    assert len(raised) > 500
    found = [f"{text.place} {text.owner}: {fault}" for text in documented for fault in faults_of(text)]
    found += [f"{text.place}: {fault}" for text in raised for fault in coinages_of(text)]
    assert not found, "\n".join(found)
    assert main(["--seed", "3", "--docstrings", "4", "--messages", "2"]) == 0
    assert len([line for line in capsys.readouterr().out.splitlines() if ".py:" in line]) >= 6


def test_planted_faults_are_found() -> None:
    tree = ast.parse(PLANTED)
    assert [faults_of(text) for text in docstrings("planted.py", tree)] == [
        ["opens with a question word"],
        ["returns a question word"],
        [],
    ]
    [raised] = messages("planted.py", tree)
    assert raised == Text("planted.py", 6, "Diagnostic", "message: tiles hang over\nfound: {} copies of the engine")
    assert len(coinages_of(raised)) == 2


def test_a_draw_is_seeded() -> None:
    texts = [Text("a.py", line, "f", str(line)) for line in range(100)]
    assert drawn(texts, 5, seed=1) == drawn(texts, 5, seed=1) != drawn(texts, 5, seed=2)
    assert drawn(texts[:3], 5, seed=1) == texts[:3]
