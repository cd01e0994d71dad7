"""The documentation's site: pages of all ops, passes, targets and commands; links by rule; broken ones are refused."""

from __future__ import annotations

import logging
import re
import shlex
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from shutil import copytree

import pytest
from mkdocs.commands.build import build
from mkdocs.config import load_config  # pyright: ignore[reportUnknownVariableType]
from mkdocs.exceptions import Abort
from xdsl.dialects.builtin import AnyFloatConstr, ArrayOfConstraint, IndexType, IntegerType, StringAttr
from xdsl.ir import TypeAttribute
from xdsl.irdl import AnyAttr, VarConstraint, irdl_to_attr_constraint

from tilewright import cli
from tilewright.dialects import own_dialects
from tilewright.dialects.core.machine.targets import machines
from tilewright.dialects.hier import TokenType
from tilewright.docs.site.commands import command_pages
from tilewright.docs.site.constraints import constraint_text
from tilewright.docs.site.dialects import dialect_pages
from tilewright.docs.site.examples import Example, example_of, first_op, lit_tests_of, without_checks
from tilewright.docs.site.flavour import python_markdown, unrendered
from tilewright.docs.site.flow import flow_html
from tilewright.docs.site.links import outside, rewritten, source_page
from tilewright.docs.site.navigation import navigation
from tilewright.docs.site.passes import pass_pages
from tilewright.docs.site.side_by_side import CodeLine, c_lines, ir_lines, page_of
from tilewright.docs.site.targets import target_pages
from tilewright.docs.site.text import GeneratedPage, code, page_file, prose, table
from tilewright.passes import own_passes
from tilewright.test.browser import dump, needs_browser, probed

pytestmark = pytest.mark.quick

ROOT = Path(__file__).parents[2]
_README = """\
# A

1. [docs/a.md](docs/a.md), [t](docs/tutorial/1.md): first

| topic | pages |
|---|---|
| tools | [b](docs/b.md) |
"""


def _texts(pages: Iterable[GeneratedPage]) -> dict[str, str]:
    """Return the texts of pages by their places, which differ."""
    texts: dict[str, str] = {}
    for page in pages:
        assert page.uri not in texts
        texts[page.uri] = page.text
    return texts


@pytest.mark.long
def test_each_op_has_a_section() -> None:
    pages = _texts(dialect_pages())
    for name, load in own_dialects().items():
        anchors = sorted(
            re.findall(r"^## .* \{ #([\w.-]+) ", pages[f"reference/dialects/{page_file(name)}"], re.MULTILINE)
        )
        dialect = load()
        ops = [op.name for op in dialect.operations]
        kinds = {kind: "type" if issubclass(kind, TypeAttribute) else "attribute" for kind in dialect.attributes}
        assert sorted([*ops, *(f"{word}-{kind.name}" for kind, word in kinds.items())]) == anchors
    assert "#### " not in "".join(pages.values())
    section = pages["reference/dialects/hier.md"].partition("{ #hier.dma_start ")[2].partition("\n## ")[0]
    assert "%t = hier.dma_start %far[%i, %j] to %near clipped" in section
    assert "| `offsets` | variadic operand | `index` |" in section
    assert "| `token` | result | `!hier.token` |" in section


def _always(example: Example, _: str) -> Example:
    """Return the example for any pass."""
    return example


@pytest.mark.long
def test_each_pass_target_and_command_has_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    example = Example("test/passes/cse.mlir", "opt-tool cse.mlir -p cse", "%a = b.c", "%d = b.e")
    monkeypatch.setattr("tilewright.docs.site.passes.example_of", partial(_always, example))
    passes = _texts(pass_pages())
    assert set(passes) == {f"reference/passes/{name}.md" for name in (*own_passes(), "index")}
    assert "| `time-budget` | a number | `2.0` |" in passes["reference/passes/plan-memory.md"]
    assert "By `opt-tool cse.mlir -p cse` it becomes\n\n```mlir\n%d = b.e\n```" in passes["reference/passes/cse.md"]
    targets = set(_texts(target_pages()))
    assert targets == {f"reference/targets/{name}.md" for name in (*machines(), "index")}
    commands = _texts(command_pages())
    names = [f"tilewright-{name.replace(' ', '-')}" for name in cli._commands()]  # pyright: ignore[reportPrivateUsage]
    assert set(commands) == {f"reference/commands/{name}.md" for name in (*names, "opt-tool", "index")}
    assert "| `--dump-dir DIR` |" in commands["reference/commands/opt-tool.md"]


def test_links_follow_the_files() -> None:
    text = (
        "[a](../CONTRIBUTING.md#b) [p](../passes/cse.py#L3) [x](none.md) `[c](../README.md)` <https://a> [u](https://b)"
    )
    assert rewritten(text, "docs/a.md", "a.md") == (
        "[a](contributing.md#b) [p](source/passes/cse.py.html#L3) [x](none.md) `[c](../README.md)` <https://a> [u](https://b)"
    )
    assert list(outside(text, "docs/a.md")) == ["CONTRIBUTING.md", "passes/cse.py"]
    fenced = "```sh\n[a](../README.md)\n```\n\n[b](../README.md)\n\n```\n[a](../README.md)\n```\n"
    assert rewritten(fenced, "docs/a.md", "a.md") == fenced.replace("[b](../README.md)", "[b](index.md)")
    named = "`passes/cse.py` `passes/memory/` `docs/hier.md` `build/none.c` `passes/none.py` `cse.py`"
    assert list(outside(named, "docs/a.md")) == ["passes/cse.py", "passes/memory"]
    assert rewritten("[a](docs/hier.md#b)", "README.md", "index.md") == "[a](hier.md#b)"
    assert rewritten("[d](../passes)", "docs/a/b.md", "a/b.md") == "[d](../passes)"
    assert rewritten("[d](../../passes)", "docs/a/b.md", "a/b.md") == "[d](../source/passes.html)"
    assert '<span id="L1">' in source_page("passes/cse.py")
    assert "<li>cse.py</li>" in source_page("passes")


def test_navigation_follows_readme_and_folders() -> None:
    pages = ["index.md", "a.md", "b.md", "b-more.md", "c.md", "tutorial/2.md", "tutorial/1.md", "reference/index.md"]
    assert navigation(_README, [*pages, "reference/passes/p.md"], ["g.md"]) == [
        "index.md",
        {"Start": ["a.md", "g.md"]},
        {"Tutorial": ["tutorial/1.md", "tutorial/2.md"]},
        {"Guide": [{"Tools": ["b.md", "b-more.md"]}, {"More": ["c.md"]}]},
        {"Reference": ["reference/index.md", {"Passes": ["reference/passes/p.md"]}]},
    ]


def _build(root: Path, monkeypatch: pytest.MonkeyPatch, page: str, name: str = "a.md") -> str:
    """Build the site of a repository with a page; return the HTML of it."""
    copytree(ROOT / "docs" / "site" / "assets", root / "docs" / "site" / "assets")
    readme = _README.replace("[b](docs/b.md)", "[a](docs/a.md)").replace(", [t](docs/tutorial/1.md)", "")
    (root / "README.md").write_text(readme, encoding="utf-8")
    (root / "lib").mkdir()
    (root / "code.py").write_text("x = 1\n", encoding="utf-8")
    (root / "docs" / "a.md").write_text("# A\n\n## B c\n", encoding="utf-8")
    (root / "docs" / name).write_text(page, encoding="utf-8")
    generated = GeneratedPage(
        "reference/index.md", "# R\n\n## hier.op { #hier.op }\n", (("hier.op", "hier.op"), ("#hier.a", "hier.op"))
    )
    monkeypatch.setattr("tilewright.docs.site.links.ROOT", root)
    monkeypatch.setattr("tilewright.docs.site.pages.generated_pages", lambda: [generated])
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    config = load_config(str(ROOT / "mkdocs.yml"), docs_dir=str(root / "docs"), site_dir=str(root / "site"))
    build(config)
    return (root / "site" / name).with_suffix(".html").read_text(encoding="utf-8")


@pytest.mark.long
def test_a_site_is_built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = "# A\n\n## B c\n\n[b](#b-c) [s](../code.py) `hier.op` `#hier.a` `lib/`\n\n"
    page += "```mlir\n%a = arith.addi %b, %b : i32\n```\n"
    html = _build(tmp_path, monkeypatch, page)
    assert '<a href="#b-c">b</a> <a href="source/code.py.html">s</a>' in html
    assert '<a href="reference/index.html#hier.op"><code>hier.op</code></a>' in html
    assert '<span class="n">arith.addi</span>' in html or '<span class="nb">arith.addi</span>' in html
    assert '<a href="reference/index.html#hier.op"><code>#hier.a</code></a>' in html
    assert '<a href="source/lib.html"><code>lib/</code></a>' in html
    assert "x = 1" in (tmp_path / "site" / "source" / "code.py.html").read_text(encoding="utf-8")
    fetched = re.findall(r"""<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=["']?((?:https?:)?//[^"' >]+)""", html)
    assert fetched == []


@pytest.mark.long
def test_broken_links_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken = ["none.md", "../none.py", "#none", "index.md#none", "/a.md", "reference/index.md#hier.none"]
    with caplog.at_level(logging.WARNING), pytest.raises(Abort):
        _build(tmp_path, monkeypatch, "# A\n\n" + " ".join(f"[x]({target})" for target in broken) + "\n")
    warnings = [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(warnings) == len(broken)
    # With --quiet, MkDocs counts no warnings.
    command = shlex.split(re.findall(r"mkdocs build.*", (ROOT / "Makefile").read_text(encoding="utf-8"))[0])
    assert "--strict" in command
    assert not {"--quiet", "-q"} & set(command)
    assert {target for target in broken if any(f"'{target}'" in warning for warning in warnings)} == set(broken)


_SEARCH = """
<script>addEventListener("load", async () => {
  const input = document.querySelector(".md-search__input");
  document.getElementById("__search").click();
  input.focus();
  input.value = "op";
  let link = null;
  for (let turn = 0; turn < 40 && !link; turn++) {
    input.dispatchEvent(new Event("focus"));
    input.dispatchEvent(new KeyboardEvent("keyup", { bubbles: true }));
    await new Promise((done) => setTimeout(done, 50));
    link = document.querySelector(".md-search-result__link");
  }
  document.body.dataset.found = link?.getAttribute("href") ?? "nothing";
});</script></body>
"""


@needs_browser
@pytest.mark.long
def test_search_works_without_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    html = _build(tmp_path, monkeypatch, "# A\n\nNothing.\n")
    page = tmp_path / "site" / "a.html"
    page.write_text(html.replace("</body>", _SEARCH), encoding="utf-8")
    shown, console = dump(page)
    assert console == ""
    assert re.findall(r'data-found="([^"?]*)', shown) == [f"{(tmp_path / 'site').as_uri()}/reference/index.html"]


def test_docstrings_become_markdown() -> None:
    text = "Of <T> and `<U>`:\n\n    %x = a.b %y\n\n      %z\n\nThen:\n- one\n- two\n#no heading"
    assert prose(text) == (
        "Of &#60;T> and `<U>`:\n\n```mlir\n%x = a.b %y\n\n  %z\n```\n\nThen:\n\n- one\n- two\n\\#no heading"
    )
    assert code("a|b") == "<code>a&#124;b</code>"
    assert table(["a", "b"], [("1", "x\ny")]) == "| a | b |\n| --- | --- |\n| 1 | x y |"
    assert table(["a"], []) == ""


def test_examples_are_run() -> None:
    assert without_checks("// RUN: x\n\n// Text.\n// CHECK-NEXT: a\nf {\n}\n// -----\ng") == "// Text.\nf {\n}"
    assert first_op("f {\n} -> a\ng {\n}") == "f {\n} -> a"
    example = example_of("cse")
    assert example is not None
    assert example.path == "test/passes/cse.mlir"
    assert example.before.count("nn.ita_max") > example.after.count("nn.ita_max") > 0
    assert example.command == "opt-tool cse.mlir -p cse --allow-unregistered-dialect"
    located = example_of("fuse-epilogues")
    assert located is not None
    assert 'loc("fuse-epilogues.mlir":3:3)' in located.after
    for name in own_passes():
        assert Path(lit_tests_of(name)[0]).suffix == ".mlir"


def test_constraints_are_shown_in_words() -> None:
    floats = irdl_to_attr_constraint(AnyFloatConstr)
    integers = irdl_to_attr_constraint(IntegerType | IndexType)
    shown = {
        "float": floats,
        "integer or index": integers,
        "index or float": irdl_to_attr_constraint(IndexType) | floats,
        "T: any": VarConstraint("T", AnyAttr()),
        "!hier.token": irdl_to_attr_constraint(TokenType),
        "list<string>": ArrayOfConstraint(irdl_to_attr_constraint(StringAttr)),
    }
    assert {text: constraint_text(constraint) for text, constraint in shown.items()} == {text: text for text in shown}


def test_charts_become_boxes() -> None:
    html = flow_html("flowchart LR\n  A[first<br>line] --> B[second]\n  B -. proved .-> A")
    assert html.count('<div class="flow">') == 2
    assert html.count("<strong>first</strong><br>line") == 2
    assert "proved →" in html
    for wrong in ("sequenceDiagram\n  A->>B: x", "flowchart LR\n  A(round) --> B"):
        with pytest.raises(ValueError, match="expected"):
            flow_html(wrong)


def test_lines_have_the_nodes_of_their_ops() -> None:
    text = 'f() {\n  a loc("n")\n  b loc(unknown)\n  g {\n    c loc(unknown)\n  } loc(fused["n", "m"])\n} loc(unknown)'
    assert ir_lines(text) == [
        CodeLine("f() {"),
        CodeLine("  a", ("n",)),
        CodeLine("  b"),
        CodeLine("  g {", ("n", "m")),
        CodeLine("    c", ("n", "m")),
        CodeLine("  }", ("n", "m")),
        CodeLine("}"),
    ]
    text = "/*\n * n\n */\nvoid f() {\n    x;\n}\nvoid g() {\n    /* n */\n    f();\n    y;\n}"
    marked = [line.text.strip() for line in c_lines(text, {"n"}) if line.nodes]
    assert marked == ["* n", "*/", "void f() {", "x;", "}", "/* n */", "f();"]
    html = page_of({"graph": ir_lines("a < b")})
    assert 'data-level="graph"' in html
    assert "&lt;" in html


_PROBE = """
const find = (number, lines) => document.querySelectorAll(`.level-panel:nth-child(${number}) .level-line${lines}`);
const lines = (number, chosen) => [...find(number, chosen)];
const before = lines(2, "").map((line) => line.textContent);
const select = document.querySelector(".level-panel:nth-child(2) select");
select.value = "C"; select.dispatchEvent(new Event("change"));
lines(1, "[data-nodes='m']")[0].click();
const columns = getComputedStyle(document.querySelector(".levels")).gridTemplateColumns.split(" ").length;
return [before, lines(1, ".marked").length, lines(2, ".marked").map((line) => line.textContent), columns];
"""


@needs_browser
@pytest.mark.long
@pytest.mark.parametrize(("width", "columns"), [(1280, 2), (390, 1)])
def test_two_levels_are_beside_each_other(width: int, columns: int, tmp_path: Path) -> None:
    levels = {
        "graph": [CodeLine("a", ("n",)), CodeLine("b", ("m",))],
        "C": [CodeLine("  c();", ("n", "m")), CodeLine("d();")],
        "fused": [CodeLine("ab", ("n", "m"))],
    }
    assets = ROOT / "docs" / "site" / "assets"
    style, script = ((assets / name).read_text(encoding="utf-8") for name in ("site.css", "levels.js"))
    body = f"<style>{style}</style>{page_of(levels)}<script>{script}</script>"
    page = f"<!DOCTYPE html><html><head><title>levels</title></head><body class='md-typeset'>{body}</body></html>"
    assert probed(page, _PROBE, tmp_path, width=width) == [["ab"], 1, ["c();"], columns]


def test_markdown_is_read_as_github_reads_it() -> None:
    given = "a\n- b\n  ```sh fails\n  - c\n\n    d\n  ```\n  - e\n- f\n"
    assert python_markdown(given) == "a\n\n- b\n    ```sh\n    - c\n\n      d\n    ```\n    - e\n- f\n"
    assert python_markdown("a\n13. no item\n|t|\n|-|\n```\n- x\n```\n") == "a\n13. no item\n\n|t|\n|-|\n```\n- x\n```\n"
    assert python_markdown("1. a\n   b\n\n   c\n2. d\n") == "1. a\n    b\n\n    c\n2. d\n"
    assert unrendered("<p>a\n- b</p><pre><p>- c</p></pre><p>d - e</p>") == ["- b"]
    assert unrendered("<p>| a | b |\n|---|</p>") == ["| a | b |", "|---|"]
