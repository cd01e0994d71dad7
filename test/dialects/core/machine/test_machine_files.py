"""Machines as files and attributes: what survives, what is refused, what the docs say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp

from tilewright.dialects.core.machine.attribute import attach_machine, machine_attr, machine_from_attr, machine_of
from tilewright.dialects.core.machine.file import find_machine, variants
from tilewright.dialects.core.machine.targets import machine_named
from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir
from tilewright.errors import Diagnostic
from tilewright.test.machines.faulty_files import FAULTS
from tilewright.test.machines.make import FILES, FOLDER, TWO_LEVEL, library, load_text, machine

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("source", ["host", *(str(file) for file in FILES)], ids=lambda source: Path(source).stem)
def test_a_machine_survives_text(source: str):
    found = find_machine(source)
    module = ModuleOp([FuncOp.external("f", [], [])])
    attach_machine(module, found)
    again = parse_module(new_context(), print_ir(module))
    assert machine_of(again) == found
    assert machine_attr(machine_of(again)) == machine_attr(found)


def test_an_attribute_may_be_edited():
    module = ModuleOp([])
    attach_machine(module, machine(64 << 10))
    text = print_ir(module)
    assert "size = 65536 : i64" in text
    edited = parse_module(new_context(), text.replace("size = 65536 : i64", 'size = "24KiB"'))
    assert machine_of(edited).level("L1").size == 24 << 10


def test_alignment_survives_whatever_the_rows(tmp_path: Path):
    found = load_text(TWO_LEVEL.replace("banks = 16", "row_bytes = 2", 1), tmp_path)
    assert found.level("L1").alignment == 4
    module = ModuleOp([])
    attach_machine(module, found)
    assert machine_of(module) == found


def test_text_beyond_ascii_survives(tmp_path: Path):
    found = load_text(TWO_LEVEL.replace("eight cores", "acht Kerne für µW"), tmp_path)
    module = ModuleOp([])
    attach_machine(module, found)
    assert machine_of(parse_module(new_context(), print_ir(module))).description.startswith("acht Kerne für µW")


def test_a_module_without_a_machine():
    with pytest.raises(Diagnostic, match="the module has no machine") as error:
        machine_of(ModuleOp([]))
    assert "attach-machine" in error.value.remedy


def test_inclusion_changes_what_it_says(tmp_path: Path):
    text = f'include = "{FOLDER / "npu_cluster.toml"}"\n[levels.L1]\nsize = 4096\n[engines]\nnpu = false\n'
    found = load_text(text, tmp_path)
    base = library("npu_cluster")
    assert [engine.name for engine in found.engines] == ["cluster"]
    assert found.level("L1").size == 4096
    assert found.level("L1").banks == base.level("L1").banks == 16
    assert found.links == base.links


def test_a_link_that_transforms_nothing(tmp_path: Path):
    text = f'include = "{FOLDER / "npu_cluster.toml"}"\n[links.dma]\ntransforms = []\n'
    assert load_text(text, tmp_path).links[0].transforms == ()
    assert library("npu_cluster").links[0].transforms == ("fill",)


def test_engines_of_other_machines(tmp_path: Path):
    text = f'[levels.M]\nsize = "1MiB"\n[engines.a]\nlike = "{FOLDER / "systolic.toml"}.core"\nlevel = "M"\ncores = 2\n'
    engine = load_text(text, tmp_path).engine("a")
    assert (engine.cores, engine.levels_of("weights")) == (2, ("M",))
    assert engine.runs == library("systolic").engine("core").runs


def test_the_pipeline_of_a_file(tmp_path: Path):
    (tmp_path / "my soc.toml").write_text('include = "host"\ndescription = "mine"\n', encoding="utf-8")
    found = machine_named(str(tmp_path / "my soc.toml"))
    assert (found.name, found.summary) == ("my_soc", "mine")
    assert found.folder == machine_named("host").folder
    attached = [phase.text for phase in found.phases if "attach-machine" in phase.text]
    assert len(attached) == 1
    assert f'attach-machine{{target="{tmp_path / "my soc.toml"}"}}' in attached[0]
    assert [phase.name for phase in found.phases][-1] == machine_named("host").phases[-1].name


@pytest.mark.parametrize("name", variants())
def test_the_pipeline_of_a_variant_names_it_wherever_it_lies(name: str):
    assert f"attach-machine{{target={name}}}" in " ".join(phase.text for phase in machine_named(name).phases)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('include = "soc.toml"\n', "includes itself"),
        ('include = "hots"\n', "did you mean 'host'"),
        ("include = 3\n", "include: expected the name"),
        ('include = "absent.toml"\n', r"absent\.toml: error: the machine's file cannot be read: No such file"),
        ("[levels.A]\nsize = 1\n[levels.A]\nsize = 2\n", r"soc\.toml:3:\d+: error: not a TOML file: Cannot declare"),
        ("[levels\n", r"soc\.toml:1:8: error: not a TOML file"),
        ('[engines.a]\nlike = "host.cor"\n', "did you mean 'core'"),
        ('[engines.a]\nlike = "host"\n', r"engines.a.like: expected MACHINE\.ENGINE"),
    ],
)
def test_files_that_cannot_be_read(text: str, message: str, tmp_path: Path):
    with pytest.raises(Diagnostic, match=message):
        load_text(text, tmp_path)


def test_an_unknown_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(Diagnostic, match="there is no machine 'hots'") as error:
        find_machine("hots")
    assert error.value.remedy == "did you mean 'host'?"
    with pytest.raises(Diagnostic, match="there is no machine 'gemmini/fp23'") as error:
        find_machine("gemmini/fp23")
    assert "'gemmini/fp32'" in error.value.remedy
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "net.onnx").write_text("")
    for name, found in (("folder", "folder, a folder without machine.toml"), ("net.onnx", "a file of another kind")):
        with pytest.raises(Diagnostic, match=f"there is no machine '{name}'") as error:
            find_machine(name)
        assert error.value.found.endswith(found)


@pytest.mark.parametrize(("edit", "message"), [*FAULTS.items()], ids=[edit[1][:24] for edit in FAULTS])
def test_faults_are_named(edit: tuple[str, str], message: str | None, tmp_path: Path):
    assert edit[0] in TWO_LEVEL
    text = TWO_LEVEL.replace(edit[0], edit[1], 1)
    if message is None:
        load_text(text, tmp_path)
        return
    with pytest.raises(Diagnostic, match=message) as error:
        load_text(text, tmp_path)
    assert "soc.toml" in error.value.where


def test_all_faults_at_once(tmp_path: Path):
    text = TWO_LEVEL.replace('"64KiB"', '"big"').replace("width = 8", "width = -1").replace("cores", "kores")
    with pytest.raises(Diagnostic, match="3 faults") as error:
        load_text(text, tmp_path)
    assert [note.partition(":")[0] for note in error.value.notes] == [
        "levels.L1.size",
        "engines.cluster.kores",
        "links.dma.width",
    ]


@pytest.mark.parametrize("part", ["levels", "engines"])
def test_a_part_that_is_missing(part: str, tmp_path: Path):
    with pytest.raises(
        Diagnostic, match=rf"{part}: expected at least one table \[{part}.NAME\], found nothing"
    ) as error:
        load_text("" if part == "levels" else "[levels.A]\nsize = 1\n", tmp_path)
    assert "soc.toml" in error.value.where


def test_a_part_that_is_no_table(tmp_path: Path):
    with pytest.raises(Diagnostic, match=r'levels.L0: expected a table \[levels.L0\], found "64KiB"'):
        load_text(f'[levels]\nL0 = "64KiB"\n{TWO_LEVEL}', tmp_path)


def test_parts_that_are_no_tables(tmp_path: Path):
    with pytest.raises(Diagnostic, match=r"links: expected tables \[links.NAME\], found 3"):
        load_text(
            "links = 3\n" + TWO_LEVEL[: TWO_LEVEL.index("[links")] + TWO_LEVEL[TWO_LEVEL.index("[engines") :], tmp_path
        )


def test_queues_are_those_of_their_engines(tmp_path: Path):
    text = TWO_LEVEL.replace("setup = 90", 'queues = { store = 4, load = 8 }\ninterlocks = ["L1"]', 1)
    found = load_text(text, tmp_path)
    assert found.queues["load"] == ("load", "cluster", 8, ("L1",))
    assert list(found.queues) == ["load", "store"]
    assert machine_from_attr(machine_attr(found)) == found


DOCS = Path(__file__).parents[4] / "docs" / "machines.md"


def test_the_files_in_the_docs(tmp_path: Path):
    found = [
        load_text(block, tmp_path) for block in re.findall(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.S)
    ]
    assert [each.level(each.levels[-1].name).size for each in found] == [64 << 10, 1 << 30]
