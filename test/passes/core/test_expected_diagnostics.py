from __future__ import annotations

import pytest

from tilewright.errors import Diagnostic
from tilewright.runtime.driver.expected import check, expectations

pytestmark = pytest.mark.quick


def problems(text: str, *came: Diagnostic, first_line: int = 1) -> list[str]:
    expected = expectations(text, "t.mlir", first_line)
    return [str(each) for each in check(expected, came, text, "t.mlir", first_line)]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("op // expected-error {{bad}}", 1),
        ("// expected-error@+1 {{bad}}\nop", 2),
        ("op\n// expected-error@-1 {{bad}}", 1),
        ("// expected-error@below {{bad}}\nop", 2),
        ("// expected-error@below {{bad}}\n// expected-note@below {{worse}}\nop", 3),
        ("op\n// expected-error @above {{bad}}", 1),
    ],
)
def test_lines(text: str, line: int):
    error = Diagnostic("a bad op", where=f"t.mlir:{line}:3", notes=["it gets worse"])
    assert problems(text, error) == []
    assert len(problems(text, Diagnostic("a bad op", where=f"t.mlir:{line + 1}:3", notes=["worse"]))) >= 2


def test_lines_of_a_later_part_of_the_file():
    assert problems("// expected-error@+1 {{bad}}", Diagnostic("bad", where="t.mlir:12:1"), first_line=11) == []


def test_text_is_searched_in_expected_and_found_too():
    error = Diagnostic("bad", where="t.mlir:1:1", expected="two axes", found="three axes")
    assert problems("// expected-error {{three axes}}", error) == []


def test_each_expectation_is_met_once():
    text = "// expected-error {{bad}}"
    error = Diagnostic("bad", where="t.mlir:1:1")
    assert problems(text, error, Diagnostic("bad", where="t.mlir:1:1")) != []


def test_unmet_and_unexpected():
    assert problems("// expected-error {{bad}}") == ["t.mlir:1: error: expected error did not come: bad"]
    assert problems("", Diagnostic("bad", where="t.mlir:1:1")) == ["t.mlir:1:1: error: unexpected error: bad"]
    assert problems("// expected-warning {{bad}}") != []


@pytest.mark.parametrize(
    ("text", "message", "meets"),
    [
        ("{{operand {{[0-9]+}} of 'a.b'}}", "operand 12 of 'a.b'", True),
        ("{{operand {{[0-9]+}} of 'a.b'}}", "operand x of 'a.b'", False),
        ("{{operand {{[0-9]+}} of 'a.b'}}", "operand 12 of 'acb'", False),
        ("{{{{a|b}} {{c{2}}} }}", "b cc ", True),
        ("{{{{a|b}} {{c{2}}} }}", "b c ", False),
    ],
)
def test_regular_expressions(text: str, message: str, meets: bool):
    place = "t.mlir:2:1"
    assert (problems(f"// expected-error-re@+1 {text}", Diagnostic(message, where=place)) == []) is meets
    assert problems(f"// expected-error@+1 {text}", Diagnostic(message, where=place)) != []


def test_braces_in_a_text():
    assert problems("// expected-error {{found {a}}}", Diagnostic("found {a}", where="t.mlir:1:1")) == []


def test_a_malformed_regular_expression_is_refused():
    with pytest.raises(Diagnostic, match="regular expression is malformed") as caught:
        expectations("\n// expected-error-re {{a {{[}} b}}", "t.mlir")
    assert caught.value.where == "t.mlir:2"


def test_errors_without_a_place():
    assert problems("// expected-error@unknown {{bad}}", Diagnostic("bad", where="op 'a.b'")) == []
    assert problems("// expected-error {{bad}}", Diagnostic("bad")) != []


def test_errors_about_a_node_are_on_its_line():
    text = 'op // expected-error {{bad}}\nop loc("B")\n// expected-error@-1 {{bad}}'
    error = Diagnostic("bad", where='node "A" + "B"')
    assert problems(text, error) == ["t.mlir:1: error: expected error did not come: bad"]


@pytest.mark.parametrize("text", ["// expected-error {bad}", "// expected-error@far {{bad}}", "// expected-error"])
def test_malformed_comments(text: str):
    with pytest.raises(Diagnostic, match="the comment is malformed"):
        expectations(text, "t.mlir")
