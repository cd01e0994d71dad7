"""The page of remarks: subjects by cost, escaped texts, the same page from the records; the command that makes it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tilewright.cli import main
from tilewright.passes.core.remarks import Remark
from tilewright.runtime.html_table import Markup, table
from tilewright.runtime.remarks.page import page_of
from tilewright.runtime.remarks.records import as_json, from_json
from tilewright.runtime.remarks.subjects import subjects_of
from tilewright.test.browser import FOREIGN, needs_browser, probed


def remark(
    kind: str, nodes: str = "", place: str = "", function: str = "f", message: str = "", **arguments: Any
) -> Remark:
    """Return a remark of the second pass; `nodes` are apart by spaces."""
    names, positions = tuple(nodes.split()), (place,) if place else ()
    where = f'node "{nodes}"' if nodes else place or "op 'nn.conv'"
    return Remark(kind, "tile", message, arguments, "nn.conv", function, names, positions, where, "plan", 2)


REMARKS = [
    remark("passed", "Add_1", cycles=10),
    remark("passed", "Conv_0 Relu_1", cycles=90, message="a <b> tile", level="L1"),
    remark("missed", "Conv_0", message="<script>alert(1)</script>"),
    remark("analysis", place="f.mlir:3:5"),
]


def test_remarks_of_one_layer_are_one_subject():
    subjects = subjects_of(REMARKS)
    assert [(subject.title, subject.cycles) for subject in subjects] == [
        ("Add_1", 10),
        ("Conv_0 + Relu_1", 90),
        ("f.mlir:3:5", 0),
    ]
    assert subjects[1].ops == ["nn.conv"]
    assert [subjects[1].count(kind) for kind in ("passed", "missed", "analysis")] == [1, 1, 0]


def test_the_same_node_in_two_functions_is_two_subjects():
    assert len(subjects_of([remark("passed", "Add_1"), remark("passed", "Add_1", function="g")])) == 2


def test_the_last_pass_states_the_cycles():
    parts = [
        remark("passed", "Add_1", cycles=3),
        remark("passed", "Add_1", cycles=4),
        remark("missed", "Add_1", cycles=1),
    ]
    assert subjects_of(parts)[0].cycles == 7


def test_the_page_lists_subjects_by_cycles_and_escapes():
    page = page_of(REMARKS, "<net>.onnx")
    assert "<title>&lt;net&gt;.onnx · remarks</title>" in page
    assert re.findall(r'<a href="#s(\d)">', page) == ["1", "0", "2"]
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(1)" in page
    assert "<tr><td>level</td><td>&quot;L1&quot;</td></tr>" in page
    assert page == page_of(from_json(as_json(REMARKS), "a.json"), "<net>.onnx")
    assert "{{" not in page


def test_equal_remarks_of_a_pass_are_shown_once():
    assert page_of([REMARKS[2]] * 3, "net").count("&lt;script&gt;alert(1)") == 1
    assert "3 times" in page_of([REMARKS[2]] * 3, "net")


def test_a_page_of_no_remarks():
    assert "<tbody></tbody>" in page_of([], "net")


def test_cells_are_escaped_but_for_markup():
    assert (
        table((), [("<a>", Markup("<b>"))]) == "<table><tbody><tr><td>&lt;a&gt;</td><td><b></td></tr></tbody></table>"
    )
    assert table(("n",), [(1,)], numeric=[0]).startswith('<table><thead><tr><th class="num">n</th></tr></thead>')


def test_the_command_shows_and_converts(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file, page = tmp_path / "net.json", tmp_path / "net.html"
    file.write_text(as_json(REMARKS))
    assert main(["remarks", str(file), "--filter", "missed"]) == 0
    assert (
        capsys.readouterr().out
        == "node \"Conv_0\": remark: [plan] missed tile of 'nn.conv': <script>alert(1)</script>\n"
    )
    assert main(["remarks", str(file), "-o", str(page)]) == 0
    assert page.read_text() == page_of(REMARKS, "net")


def test_the_command_explains_a_node(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "net.json"
    file.write_text(as_json(REMARKS))
    assert main(["remarks", str(file), "--explain", "Relu_1"]) == 0
    assert capsys.readouterr().out == "Relu_1\n  plan, pass 2\n    passed tile of 'nn.conv': a <b> tile\n"
    assert main(["remarks", str(file), "--explain", "f.mlir:3"]) == 0
    assert capsys.readouterr().out == "f.mlir:3\n  plan, pass 2\n    analysis tile of 'nn.conv': \n"
    assert main(["remarks", str(file), "--explain", "Relu_2"]) == 1
    assert "did you mean 'Relu_1'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-o", "a.txt"], "no form of remarks has such files"),
        (["--filter", "("], "the regular expression is malformed"),
    ],
)
def test_wrong_commands(words: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "net.json"
    file.write_text(as_json(REMARKS))
    assert main(["remarks", str(file), *words]) == 2
    assert message in capsys.readouterr().err


def test_a_file_that_holds_something_else(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    file = tmp_path / "net.json"
    file.write_text("{}")
    assert main(["remarks", str(file)]) == 1
    assert "holds no list of remarks" in capsys.readouterr().err


def test_the_page_refers_to_nothing_else():
    assert re.findall(FOREIGN, page_of(REMARKS, "net").replace('href="#', "")) == []


@pytest.mark.sample(1)
@needs_browser
@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_filters_and_fits(width: int, tmp_path: Path):
    probe = """
        const seen = selector => [...document.querySelectorAll(selector)].filter(e => e.offsetParent);
        const shown = () => seen(".remark").map(e => e.dataset.kind);
        const set = (control, change) => { change(control); control.dispatchEvent(new Event("input")); };
        const titles = () => seen("#subjects h2").map(e => e.textContent);
        const values = {wide: document.documentElement.scrollWidth > innerWidth, first: titles()};
        set(document.getElementById("sort"), e => { e.value = ""; });
        values.ordered = titles();
        set(document.querySelector("input[value=passed]"), e => { e.checked = false; });
        values.unpassed = shown();
        set(document.getElementById("search"), e => { e.value = "CONV_0 script"; });
        values.searched = shown();
        set(document.getElementById("pass"), e => { e.value = "other"; });
        set(document.getElementById("search"), e => { e.value = "nowhere"; });
        values.none = shown();
        return values;
    """
    assert probed(page_of(REMARKS, "net"), probe, tmp_path, width=width) == {
        "wide": False,
        "first": ["Conv_0 + Relu_1", "Add_1", "f.mlir:3:5"],
        "ordered": ["Add_1", "Conv_0 + Relu_1", "f.mlir:3:5"],
        "unpassed": ["missed", "analysis"],
        "searched": ["missed"],
        "none": [],
    }
