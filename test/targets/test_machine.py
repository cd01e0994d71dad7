"""Machines as data: what files say, what they cost, what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from xdsl.dialects.builtin import FunctionType, ModuleOp, TensorType, f32, i8, i32
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation

from tilewright.dialects.core.kernel import is_kernel, kernel_of
from tilewright.errors import Diagnostic
from tilewright.ir import new_context, parse_module, print_ir
from tilewright.targets import machine_named
from tilewright.targets.core import cost_table, costs
from tilewright.targets.core.machine import Link, Machine
from tilewright.targets.core.machine_attribute import attach_machine, machine_attr, machine_of
from tilewright.targets.core.machine_file import find_machine, load_machine
from tilewright.targets.core.machine_operations import dimension_names
from tilewright.targets.core.machine_picture import draw
from tilewright.targets.core.machine_schema import ENGINE, LEVEL, LINK, SUPPORT, Key
from tilewright.test.machines.make import FILES, FOLDER, library, machine

pytestmark = pytest.mark.quick

CONV = """
func.func @f(%x: tensor<1x{c}x10x10x{t}>, %w: tensor<8x{d}x3x3x{t}>, %o: tensor<1x8x8x8xi32>) -> tensor<1x8x8x8xi32> {{
  %r = nn.conv ins(%x, %w : tensor<1x{c}x10x10x{t}>, tensor<8x{d}x3x3x{t}>) outs(%o : tensor<1x8x8x8xi32>)
    {{strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = {g} : i64,
     accumulator = i32}}
  func.return %r : tensor<1x8x8x8xi32>
}}
"""
MATMUL = """
func.func @f(%a: tensor<5x33xi8>, %b: tensor<33x20xi8>, %o: tensor<5x20xi32>) -> tensor<5x20xi32> {
  %r = nn.matmul ins(%a, %b : tensor<5x33xi8>, tensor<33x20xi8>) outs(%o : tensor<5x20xi32>) {accumulator = i32}
  func.return %r : tensor<5x20xi32>
}
"""
ADD = """
func.func @f(%a: tensor<4x6xi8>, %o: tensor<4x6xi8>) -> tensor<4x6xi8> {
  %r = linalg.add ins(%a, %a : tensor<4x6xi8>, tensor<4x6xi8>) outs(%o : tensor<4x6xi8>) -> tensor<4x6xi8>
  func.return %r : tensor<4x6xi8>
}
"""


def kernel(text: str) -> Operation:
    """Return the kernel of a function; its module stays alive as long as it does."""
    return next(op for op in parse_module(new_context(), text).walk() if is_kernel(op))


def conv(channels: int = 4, groups: int = 1, element: str = "i8") -> Operation:
    return kernel(CONV.format(c=channels, d=channels // groups, g=groups, t=element))


@pytest.fixture(scope="module")
def two_level() -> str:
    return (FOLDER / "two_level.toml").read_text(encoding="utf-8")


def load_text(text: str, folder: Path) -> Machine:
    (folder / "soc.toml").write_text(text, encoding="utf-8")
    return load_machine(folder / "soc.toml")


# Files and attributes


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


def test_alignment_survives_whatever_the_rows(tmp_path: Path, two_level: str):
    found = load_text(two_level.replace("banks = 16", "row_bytes = 2", 1), tmp_path)
    assert found.level("L1").alignment == 4
    module = ModuleOp([])
    attach_machine(module, found)
    assert machine_of(module) == found


def test_text_beyond_ascii_survives(tmp_path: Path, two_level: str):
    found = load_text(two_level.replace("eight cores", "acht Kerne für µW"), tmp_path)
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


def test_an_unknown_machine():
    with pytest.raises(Diagnostic, match="there is no machine 'hots'") as error:
        find_machine("hots")
    assert error.value.remedy == "did you mean 'host'?"


FAULTS = {
    ('size = "64KiB"', 'size = "big"'): 'levels.L1.size: expected a size such as "64KiB" or a positive .*found "big"',
    ('size = "64KiB"', 'size = "64Kib"'): "levels.L1.size: expected a size",
    ('size = "64KiB"', "size = 1.5"): "levels.L1.size: expected a size .*found 1.5",
    ('size = "64KiB"', "size = -4"): "levels.L1.size: expected a size .*found -4",
    ('size = "64KiB"', "size = 0"): "levels.L1.size: expected a size .*found 0",
    ('size = "64KiB"', 'size = "9999999999GiB"'): "levels.L1.size: expected a size .*found .9999999999GiB",
    ("banks = 16", "banks = 0x8000000000000000"): "levels.L1.banks: expected an integer of at least 1",
    ('size = "64KiB"', "size = true"): "levels.L1.size: expected a size .*found true",
    ('size = "64KiB"', ""): "levels.L1.size: expected a size .*found nothing",
    ("banks = 16", "bancs = 16"): "levels.L1.bancs: unknown key; did you mean 'banks'",
    ("banks = 16", "alignmemt = 16"): "levels.L1.alignmemt: unknown key; did you mean 'alignment'",
    ("banks = 16", "rows = 4"): "levels.L1.rows: expected row_bytes beside it, and no size, found 4",
    ("banks = 16", "row_bytes = 7"): "levels.L1.size: expected a multiple of row_bytes, found 65536",
    ("banks = 16\n", 'holds = "weights"\n'): 'engines.cluster.level: expected a level that holds ins, found "L1"',
    ("alignment = 4\nbanks", "alignment = 12\nbanks"): "levels.L1.alignment: expected a power of two, found 12",
    ('near = "L1"', 'near = "L9"'): 'links.dma.near: expected a level, one of L1, L2, found "L9"',
    ('near = "L1"', 'near = "L2"'): "links.dma.near: expected another level than far",
    ('near = "L1"', 'near = "L1"\nneighbours = "torus"'): "links.dma.neighbours: expected none",
    ('far = "L2"', ""): "links.dma.far: expected a text, found nothing",
    ("width = 8", "width = 0"): "links.dma.width: expected an integer of at least 1, found 0",
    ("width = 8", 'width = "8"'): 'links.dma.width: expected an integer of at least 1, found "8"',
    ("width = 8", "width = 8\ndirection = 'up'"): "links.dma.direction: expected one of in, out, both",
    ("dims = 2", "dims = 9"): "links.dma.dims: expected an integer from 1 to 8, found 9",
    ("energy = 1.0", "energy = -1.0"): "links.dma.energy: expected a number that is not negative",
    ("energy = 1.0", "energy = nan"): "links.dma.energy: expected a number that is not negative",
    ('level = "L1"', 'level = "L3"'): 'engines.cluster.level: expected a level, .*found "L3"; did you mean',
    ('level = "L1"', 'level = { outs = "L1" }'): "engines.cluster.level: expected a level for the role ins",
    ('level = "L1"', 'level = { ins = "L1", out = "L1" }'): "engines.cluster.level: expected one of ins, weights",
    ("mhz = 370", "volts = 3"): "clock: expected a table with mhz and, optionally, volts, found a table",
    ("mhz = 370", "mhz = [1, 2]\nvolts = [1]"): "clock: expected as many volts as mhz",
    ("[clock]\nmhz = 370", ""): None,
    ("setup = 90", "setup = 90\nclock = { mhz = 0 }"): "engines.cluster.clock: expected a positive number",
    ("[links.dma]", "[link.dma]"): "link: unknown key; did you mean 'links'",
    ("per_point", "per_pint"): 'runs."nn.\\*".cost: expected a cost function, .*found "per_pint"; did you mean',
    ("efficiency = 0.8", "efficency = 0.8"): 'runs."nn.conv".efficency: unknown key; did you mean .efficiency',
    ("efficiency = 0.8", 'efficiency = "x"'): "efficiency: expected a positive number, found",
    (
        "macs_per_cycle = 12, efficiency = 0.8, ",
        "",
    ): 'runs."nn.conv".macs_per_cycle: expected a positive number, found nothing',
    ("cycles = [3, 6]", "cycles = []"): 'runs."nn.\\*".cycles: expected .*at least one',
    ("macs_per_cycle = 12, efficiency = 0.8", "macs_per_cycle = 0"): "macs_per_cycle: expected a positive number",
    ("multiples = { n = 4 }", "multiples = { q = 4 }"): "multiples: expected the name of a loop, such as n",
    ("multiples = { n = 4 }", "multiples = { n = 0 }"): "multiples: expected an integer of at least 1",
    ("per_output = 1, multiples", 'types = "int8", multiples'): "types: expected an element type such as i8",
    ('"nn.conv" ', '"nn.cnov" '): 'runs."nn.cnov": expected the name of an op, .*did you mean .nn.conv',
    ('"nn.conv" ', '"nm.conv" '): 'runs."nm.conv": expected .*found no dialect "nm"',
    ('"*"  ', '"arith.*"'): 'engines: expected one that runs "\\*"',
    (
        "[levels.L1]",
        "[levels.L0]\nsize = 8\n[levels.L1]",
    ): 'links: expected one that leads to the level "L0", found none',
    ("[links.dma]", '[links.up]\nfar = "L1"\nnear = "L2"\nwidth = 1\n[links.dma]'): "found the cycle L1 -> L2 -> L1",
}


@pytest.mark.parametrize(("edit", "message"), [*FAULTS.items()], ids=[edit[1][:24] for edit in FAULTS])
def test_faults_are_named(edit: tuple[str, str], message: str | None, tmp_path: Path, two_level: str):
    assert edit[0] in two_level
    text = two_level.replace(edit[0], edit[1], 1)
    if message is None:
        load_text(text, tmp_path)
        return
    with pytest.raises(Diagnostic, match=message) as error:
        load_text(text, tmp_path)
    assert "soc.toml" in error.value.where


def test_all_faults_at_once(tmp_path: Path, two_level: str):
    text = two_level.replace('"64KiB"', '"big"').replace("width = 8", "width = -1").replace("cores", "kores")
    with pytest.raises(Diagnostic, match="3 faults") as error:
        load_text(text, tmp_path)
    assert [note.partition(":")[0] for note in error.value.notes] == [
        "levels.L1.size",
        "links.dma.width",
        "engines.cluster.kores",
    ]


@pytest.mark.parametrize("part", ["levels", "engines"])
def test_a_part_that_is_missing(part: str, tmp_path: Path):
    with pytest.raises(
        Diagnostic, match=rf"{part}: expected at least one table \[{part}.NAME\], found nothing"
    ) as error:
        load_text("" if part == "levels" else "[levels.A]\nsize = 1\n", tmp_path)
    assert "soc.toml" in error.value.where


def test_parts_that_are_no_tables(tmp_path: Path, two_level: str):
    with pytest.raises(Diagnostic, match=r"links: expected tables \[links.NAME\], found 3"):
        load_text(
            "links = 3\n" + two_level[: two_level.index("[links")] + two_level[two_level.index("[engines") :], tmp_path
        )


DOCS = Path(__file__).parents[2] / "docs" / "machines.md"


def test_the_files_in_the_docs(tmp_path: Path):
    found = [
        load_text(block, tmp_path) for block in re.findall(r"```toml\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.S)
    ]
    assert [each.level(each.levels[-1].name).size for each in found] == [64 << 10, 1 << 30]


@pytest.mark.parametrize(("kind", "keys"), [("levels", LEVEL), ("links", LINK), ("engines", ENGINE), ("runs", SUPPORT)])
def test_the_docs_describe_every_key(kind: str, keys: dict[str, Key]):
    sections = re.split(r"\n##+ ", DOCS.read_text(encoding="utf-8"))
    section = next(each for each in sections if re.match(rf"`\[(engines\.NAME\.)?{kind}(\.NAME)?\]`", each))
    assert [key for key in keys if f"`{key}`" not in section] == []


# Queries


def test_levels_go_from_far_to_near():
    assert [level.name for level in library("three_level").levels] == ["L3", "L2", "L1"]
    assert [level.name for level in library("systolic").levels] == ["DRAM", "SPAD", "ACC"]


def test_paths_follow_directions():
    three = library("three_level")
    assert [link.name for link in three.path("L3", "L1")] == ["hyperbus", "dma"]
    assert [link.name for link in three.path("L1", "L3")] == ["dma", "hyperbus"]
    assert three.path("L2", "L2") == ()
    systolic = library("systolic")
    assert [link.name for link in systolic.path("ACC", "DRAM")] == ["mvout"]
    with pytest.raises(Diagnostic, match="no link leads from 'SPAD' to 'DRAM'"):
        systolic.path("SPAD", "DRAM")
    with pytest.raises(Diagnostic, match="no level 'SPDA'") as error:
        systolic.path("SPDA", "DRAM")
    assert "did you mean 'SPAD'" in error.value.remedy


def test_operands_have_levels_by_role():
    systolic = library("systolic")
    array = systolic.engine("array")
    assert systolic.near_level_of(array).name == systolic.near_level_of(array, "weights").name == "SPAD"
    assert systolic.near_level_of(array, "accumulators").name == "ACC"
    assert library("npu_cluster").engine("npu").levels_of("weights") == ("WMEM", "L1")


def test_memories_of_rows():
    spad = library("systolic").level("SPAD")
    assert (spad.size, spad.rows, spad.alignment, spad.aligned(17)) == (256 << 10, 16384, 16, 32)


def test_a_machine_made_for_a_test():
    made = machine(8 << 10, levels=3, channels=2, bandwidth=4, l2=99)
    assert (made.level("L1").size, made.level("L2").size, made.link("dma").channels) == (8192, 99, 2)
    assert made.link("dma").width == 4
    assert machine(levels=1) == library("flat")


@pytest.mark.parametrize(
    ("row", "counts", "dims", "cycles"),
    [
        (4096, (), 2, 18 + 512),
        (64, (8,), 2, 18 + 8 * 8),
        (3, (10,), 2, 18 + 10),
        (64, (8,), 1, 8 * (18 + 8)),
        (64, (3, 8), 2, 3 * 18 + 24 * 8),
        (64, (3, 8), 3, 18 + 24 * 8),
        (0, (), 2, 18),
    ],
)
def test_transfers_cost_start_up_and_rows(row: int, counts: tuple[int, ...], dims: int, cycles: int):
    """With 8 bytes a cycle and 18 of start-up, as measured on mchan: 18 + rows * max(1, ceil(row / 8))."""
    assert Link("dma", "L2", "L1", 8, startup=18, dims=dims, burst=256).cycles(row, counts) == cycles


def test_bursts_cost_more():
    """As measured on mchan towards the far level: 17 + rows * (ceil(row / 8) + ceil(row / 256))."""
    link = Link("dma", "L2", "L1", 8, startup=17, dims=2, burst=256, burst_overhead=1)
    assert link.cycles(600, (5,)) == 17 + 5 * (75 + 3)
    slow = Link("mvin", "D", "S", 16, dims=2, burst=64, burst_minimum=10.3)
    assert slow.cycles(100, (10,)) == 206


def test_dimensions_are_named():
    assert dimension_names(kernel_of(conv())) == ("m0", "u0", "n0", "m1", "m2", "k0", "k1", "k2")
    assert dimension_names(kernel_of(conv(groups=2))) == ("m0", "b0", "n0", "m1", "m2", "k0", "k1", "k2")
    assert dimension_names(kernel_of(kernel(MATMUL))) == ("m0", "n0", "k0")
    assert dimension_names(kernel_of(kernel(ADD))) == ("p0", "p1")


def test_cost_of_macs():
    made = machine()
    cluster = made.engine("cluster")
    macs, outputs = 8 * 64 * 36, 8 * 64
    assert made.cost(cluster, conv()) == 90 + round(macs / 9.6) + outputs
    price = made.pricer(cluster, conv())
    assert price is not None
    assert price((1, 1, 4, 2, 2, 4, 3, 3)) == 90 + 60 + 16
    assert price((1, 1, 3, 2, 2, 4, 3, 3)) == price((1, 1, 4, 2, 2, 4, 3, 3)), "an incomplete block costs as much"


def test_blocks_are_by_name():
    systolic = library("systolic")
    array = systolic.engine("array")
    op = kernel(MATMUL)
    support = array.support(op)
    assert support is not None
    view = kernel_of(op)
    assert (support.blocks(view), support.limits(view)) == ((4, 16, 16), (5, 20, 33))
    assert systolic.cost(array, op) == 7 + 8 * 32 * 48 // 256
    entry = array.support(conv(channels=16))
    assert entry is not None
    assert entry.spans(kernel_of(conv())) == (False,) * 6 + (True, True)


def test_an_engine_takes_its_types_only():
    npu = library("npu_cluster").engine("npu")
    assert npu.support(conv()) is not None
    assert npu.support(conv(element="i16")) is None
    assert npu.support(kernel(ADD)) is None


def test_engines_come_cheapest_first():
    both = library("npu_cluster")
    ranked = both.engines_for(conv(channels=64))
    assert [engine.name for engine, _ in ranked] == ["npu", "cluster"]
    assert ranked[0][1] < ranked[1][1]
    assert [engine.name for engine, _ in both.engines_for(conv(element="i16"))] == ["cluster"]


def test_an_engine_with_a_clock_of_its_own():
    """The accelerator runs at half the machine's clock: a cycle of it, set-up included, is two of the machine's."""
    both = library("npu_cluster")
    cycles = 221 + -(-(12 * 12 * 32 * 36) // 288)
    assert both.cost(both.engine("npu"), conv()) == 2 * cycles
    assert both.seconds(370) == pytest.approx(1e-6)


def test_names_before_dialects_before_anything():
    cluster = library("two_level").engine("cluster")
    found = [cluster.support(op) for op in (conv(), kernel(ADD))]
    assert [each.op for each in found if each] == ["nn.conv", "*"]


def test_cost_of_loop_nests():
    view = kernel_of(kernel(MATMUL))
    core = library("flat").engine("core")
    assert costs.per_point(view, (5, 20, 33), core, cycles=(2.0, 10.0)) == 2 * 3300 + 10 * 100 + 10 * 5
    assert costs.per_point(view, (5, 1, 33), core, cycles=(2.0, 10.0)) == 2 * 165 + 10 * 5
    assert costs.per_point(view, (1, 1, 1), core, cycles=(2.0, 10.0)) == 2
    assert costs.per_point(view, (5, 20, 33), core, cycles=(2.0, 10.0), per_output=3) == 7650 + 3 * 100


def test_cost_of_elements_on_cores():
    view = kernel_of(kernel(ADD))
    cluster = library("two_level").engine("cluster")
    assert costs.per_element(view, (4, 6), cluster, cycles=10) == 24 * 10 // 8
    assert costs.per_element(view, (4, 6), cluster, cycles=10, parallel=0.5, startup=7) == 7 + 120 + 15


def test_a_kernel_of_several_passes_pays_for_each():
    text = """
    func.func @f(%x: tensor<2x8xi8>, %o: tensor<2x8xi8>) -> tensor<2x8xi8> {
      %r = nn.ita_max ins(%x : tensor<2x8xi8>) outs(%o : tensor<2x8xi8>)
        {levels = 256 : i64, accumulator = i32, element = i8}
      func.return %r : tensor<2x8xi8>
    }
    """
    view = kernel_of(kernel(text))
    passes = len(view.reductions) + 1
    assert passes > 1
    cluster = library("two_level").engine("cluster")
    assert costs.per_element(view, view.bounds, cluster, cycles=10) == passes * 16 * 10 // 8


def test_costs_of_a_target_bear_its_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cost_table, "_COSTS", dict(cost_table._COSTS))  # pyright: ignore[reportPrivateUsage]

    def fixed(kernel: object, bounds: object, engine: object, *, jobs: int, extra: float = 0) -> int:
        return jobs

    fixed.__module__ = "tilewright.targets.chip.costs"
    cost_table.cost("npu")(fixed)
    assert cost_table.cost_named("chip.npu") is fixed
    assert [(each.type, each.required) for each in cost_table.parameters_of("chip.npu").values()] == [
        (int, True),
        (float, False),
    ]
    with pytest.raises(KeyError):
        cost_table.cost_named("npu")


def test_a_cost_function_may_refuse(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, two_level: str):
    monkeypatch.setattr(cost_table, "_COSTS", dict(cost_table._COSTS))  # pyright: ignore[reportPrivateUsage]

    def only_small(kernel: object, bounds: tuple[int, ...], engine: object, *, limit: int) -> int | None:
        return 1 if max(bounds) < limit else None

    cost_table.cost("only_small")(only_small)
    text = two_level.replace('cost = "per_element", cycles = 12', 'cost = "only_small", limit = 8')
    found = load_text(text, tmp_path)
    assert [cycles for _, cycles in found.engines_for(kernel(ADD))] == [91]
    assert found.cost(found.engine("cluster"), kernel(ADD), (4, 9)) is None
    with pytest.raises(Diagnostic, match="limit: expected an integer of at least 1, found 0"):
        load_text(text.replace("limit = 8", "limit = 0"), tmp_path)


def test_an_op_that_is_no_kernel():
    returned = FuncOp("f", FunctionType.from_lists([TensorType(i8, [2]), TensorType(f32, [2])], [i32]))
    with pytest.raises(Diagnostic, match=r"'func\.func' is not a structured kernel"):
        machine().engines_for(returned)


def test_the_picture_shows_all_parts():
    from rich.console import Console

    console = Console(width=140, record=True, file=open("/dev/null", "w", encoding="utf-8"))
    console.print(draw(library("systolic")))
    console.print(draw(library("mesh")))
    text = console.export_text()
    for part in (
        "16,384 rows of 16 B",
        "array (outs)",
        "ACC, see above",
        "k up to 512",
        "neighbours in a mesh",
        "16 x 16",
    ):
        assert part in text
