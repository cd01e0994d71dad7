"""Networks as programs: on the emulator of one RV32IMC hart, and on a model of Siracusa by its registers."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from onnx import ModelProto

from tilewright.compiler import PREFILL, Model, compile_model, write_compilation
from tilewright.errors import Diagnostic
from tilewright.frontend import zoo
from tilewright.frontend.zoo import llama
from tilewright.ir import Array
from tilewright.runtime import rv32
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.rv32 import read_elf, run_elf
from tilewright.targets.siracusa import bare
from tilewright.targets.siracusa.bare import (
    RUNTIME,
    SIRACUSA,
    BareCall,
    BareSession,
    build_bare,
    entries_at,
    read_console,
    run_bare,
)
from tilewright.test.small_models import model, node, save
from tilewright.test.targets.siracusa.cluster_model import Siracusa, Wrong
from tilewright.test.targets.siracusa.runtime_networks import Example, example

NAMES = ("matmul", "npu", "transfers")
STRICT = ("-Wall", "-Wextra", "-Werror")
COMPILERS = ["ziglang", *(name for name in rv32._GCC if shutil.which(name))]  # pyright: ignore[reportPrivateUsage]


@pytest.fixture(scope="module")
def examples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Example]:
    return {name: example(name, tmp_path_factory.mktemp("networks") / name, seed=3) for name in NAMES}


@pytest.fixture(params=COMPILERS)
def compiler(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("RV32_CC", "" if request.param == "ziglang" else request.param)
    return request.param


# One hart


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", NAMES)
def test_one_hart_gives_the_same(name: str, compiler: str, examples: dict[str, Example]) -> None:
    done = run_bare(examples[name].folder, examples[name].inputs, runs=1 + (name != "transfers"), flags=STRICT)
    for found, expected in zip(done.outputs, examples[name].outputs, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert 0 < sum(done.cycles) < done.instructions


def compiled(built: ModelProto, folder: Path) -> tuple[Path, list[Array], list[Array]]:
    """Compile a network; return its folder, inputs of a seed, and the outputs of this machine."""
    save(built, folder / "network.onnx")
    write_compilation(compile_model(Model(folder / "network.onnx"), "host"), folder / "out")
    network, random = HostNetwork(folder / "out"), np.random.default_rng(5)
    inputs = [random.integers(0, 100, port.shape).astype(port.dtype) for port in network.inputs]
    return folder / "out", inputs, network.run(inputs)


def test_a_network_of_the_zoo(tmp_path: Path) -> None:
    folder, inputs, outputs = compiled(zoo.build("mlp"), tmp_path)
    done = run_bare(folder, inputs, flags=STRICT)
    np.testing.assert_array_equal(done.outputs[0], outputs[0])


@pytest.mark.nightly
def test_a_network_that_needs_the_mathematical_library(tmp_path: Path) -> None:
    built = model([node("Exp", ["x"], ["y"])], outputs={"y": (1, 2, 6, 6)})
    folder, inputs, outputs = compiled(built, tmp_path)
    assert "tilewright_math.h" in (folder / "network.c").read_text()
    np.testing.assert_allclose(run_bare(folder, inputs).outputs[0], outputs[0], rtol=1e-6)


def test_expected_outputs_decide_the_exit_code(examples: dict[str, Example], tmp_path: Path) -> None:
    case = examples["matmul"]
    elf = build_bare(case.folder, tmp_path / "a.elf", inputs=case.inputs, expected=case.outputs)
    assert run_elf(elf).exit_code == 0
    elf = build_bare(case.folder, tmp_path / "b.elf", inputs=case.inputs, expected=[case.outputs[0] + 1])
    done = run_elf(elf)
    assert (done.exit_code, done.console.splitlines()[-1]) == (1, "call 0 differs in output 0")


def test_inputs_are_zeros_by_default(examples: dict[str, Example], tmp_path: Path) -> None:
    done = run_elf(build_bare(examples["matmul"].folder, tmp_path / "a.elf"))
    ports = entries_at(examples["matmul"].folder)[0].outputs
    np.testing.assert_array_equal(read_console(done.console, ports)[0][0], np.zeros((48, 40), np.int8))


def test_weights_in_a_binary_file(examples: dict[str, Example], tmp_path: Path) -> None:
    folder = tmp_path / "network"
    case = example("matmul", folder, seed=3)
    text = (folder / "weights.c").read_text()
    numbers = [int(word) for word in text[text.index("{") + 1 : text.index("}")].split(",")]
    (folder / "weights.bin").write_bytes(np.array(numbers, np.int8).tobytes())
    (folder / "weights.S").write_text(
        '    .section .rodata\n    .balign 16\n    .globl network_weight\nnetwork_weight:\n    .incbin "weights.bin"\n'
    )
    (folder / "weights.c").unlink()
    np.testing.assert_array_equal(run_bare(folder, case.inputs).outputs[0], case.outputs[0])


STATUS = """
int32_t network_run(const uint8_t input[3072], int8_t output[1920]) {
    output[0] = 1;
    return input[0] == 0 ? 0 : 2;
}
"""


def test_a_network_that_refuses_its_inputs(examples: dict[str, Example], tmp_path: Path) -> None:
    folder = tmp_path / "network"
    example("matmul", folder)
    header = (folder / "network.h").read_text().replace("void network_run", "int32_t network_run")
    (folder / "network.h").write_text(header)
    (folder / "network.c").write_text(f'#include "network.h"\n{STATUS}')
    assert run_bare(folder, [np.zeros((48, 64), np.uint8)]).outputs[0][0, 0] == 1
    with pytest.raises(Diagnostic, match="refuses its inputs: the position is out of order"):
        run_bare(folder, [np.ones((48, 64), np.uint8)])


# Siracusa


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", NAMES)
def test_siracusa_gives_the_same(name: str, compiler: str, examples: dict[str, Example], tmp_path: Path) -> None:
    case = examples[name]
    ports = entries_at(case.folder)[0].outputs
    calls = [BareCall(case.inputs, case.outputs)]
    elf = build_bare(case.folder, tmp_path / "a.elf", SIRACUSA, calls=calls, runs=2, flags=STRICT)
    for seed in range(3):
        machine = Siracusa(seed)
        machine.run(elf)
        assert machine.exit_code == 0
        assert machine.enabled
        outputs, cycles = read_console(machine.console, ports)
        assert len(cycles) == 2
        for found, expected in zip(outputs, case.outputs, strict=True):
            np.testing.assert_array_equal(found, expected)


OF_WORDS = """
#include "tw_cluster.h"

void network_run(const uint8_t input[3072], int8_t output[1920]) {
    for (int32_t i = 0; i < 96; ++i) {
        const uint32_t a = tw_word(input + 8 * i), b = tw_word(input + 8 * i + 4);
        int32_t found[5] = {tw_min_i32((int32_t)a, (int32_t)b), 0, tw_max_i32((int32_t)a, (int32_t)b), 0, 0};
        found[1] = (int32_t)tw_min_u32(a, b);
        found[3] = (int32_t)tw_max_u32(a, b);
        found[4] = tw_mac_i32((int32_t)a, (int32_t)b, found[1]);
        for (int32_t byte = 0; byte < 20; ++byte) output[20 * i + byte] = (int8_t)((const uint8_t *)found)[byte];
    }
}
"""


def test_instructions_on_words(examples: dict[str, Example], tmp_path: Path) -> None:
    """p.min, p.minu, p.max, p.maxu and p.mac, of numbers of any sign."""
    folder = tmp_path / "network"
    example("matmul", folder)
    (folder / "network.c").write_text(f'#include "network.h"\n{OF_WORDS}')
    data = np.random.default_rng(7).integers(0, 256, (48, 64), np.uint8)
    unsigned = data.reshape(-1).view(np.uint32)[:192].reshape(96, 2)
    signed, least = unsigned.view(np.int32), unsigned.min(axis=1)
    wanted = [
        signed.min(axis=1),
        least,
        signed.max(axis=1),
        unsigned.max(axis=1),
        unsigned.prod(axis=1, dtype="u4") + least,
    ]
    expected = np.stack([words.view(np.int32) for words in wanted], axis=1).view(np.int8).reshape(48, 40)
    elf = build_bare(folder, tmp_path / "a.elf", SIRACUSA, calls=[BareCall([data], [expected])], flags=STRICT)
    machine = Siracusa(0)
    machine.run(elf)
    assert (machine.exit_code, "differs" in machine.console) == (0, False)


def is_found(case: Example, folder: Path, *flags: str, runs: int = 1) -> bool:
    """Whether a fault shows for one of a few seeds. In a second run buffers hold the results of the first."""
    calls = [BareCall(case.inputs, case.outputs)]
    elf = build_bare(case.folder, folder / "a.elf", SIRACUSA, calls=calls, runs=runs, flags=flags)
    for seed in range(12):
        machine = Siracusa(seed)
        try:
            machine.run(elf, turns=8_000)  # right programs take fewer than 5,000
        except Wrong:
            return True
        if machine.exit_code != 0:
            return True
    return False


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("name", "fault"),
    [("matmul", "FORGET_INPUT"), ("matmul", "FORGET_OUTPUT"), ("matmul", "FORGET_BARRIER"), ("npu", "FORGET_NPU")],
)
def test_faults_of_a_network_show(name: str, fault: str, examples: dict[str, Example], tmp_path: Path) -> None:
    assert is_found(examples[name], tmp_path, f"-D{fault}")


TARGET_MASK = "TW_REGISTER(TW_BARRIER_AT(0) + TW_BARRIER_TARGET_MASK) = workers;"
RUNTIME_FAULTS = {
    "a barrier has a target before it has cores": (
        "matmul",
        "tw_bare_metal.h",
        "    TW_REGISTER(TW_BARRIER_AT(0) + TW_BARRIER_TRIGGER_MASK) = workers;\n    " + TARGET_MASK,
        "    " + TARGET_MASK + "\n    TW_REGISTER(TW_BARRIER_AT(0) + TW_BARRIER_TRIGGER_MASK) = workers;",
    ),
    "an event of the DMA engine ends a barrier": (
        "matmul",
        "tw_bare_metal.h",
        "TW_EVENTS_MASK) = TW_TEAM_EVENTS;",
        "TW_EVENTS_MASK) = TW_TEAM_EVENTS | 1u << TW_EVENT_DMA;",
    ),
    "a wait does not look whether it was its transfer": (
        "matmul",
        "tw_bare_metal.h",
        "    while ((TW_REG",
        "    if ((TW_REG",
    ),
    "counters are not freed": ("matmul", "tw_bare_metal.h", "TW_REGISTER(TW_MCHAN_STATUS) = 1u << group;", ""),
    "transfers are longer than their counter": (
        "transfers",
        "tw_bare_metal.h",
        "TW_MCHAN_LENGTH_BITS) - 8u",
        "20) - 8u",
    ),
    "the controller comes to the workers' barrier": (
        "matmul",
        "tw_bare_metal.h",
        "BARRIER_AT(1) + TW_BARRIER_TRIGGER_WAIT",
        "BARRIER_AT(0) + TW_BARRIER_TRIGGER_WAIT",
    ),
    "the NPU is not waited for": (
        "npu",
        "tw_bare_metal.h",
        "while (TW_REGISTER(TW_NPU + TW_NPU_STATUS) != 0u)",
        "if (0)",
    ),
    "workers miss the end of a fork": (
        "matmul",
        "bare_metal.S",
        "TW_BARRIER + TW_BARRIER_SIZE + TW",
        "TW_BARRIER + TW",
    ),
    "a transfer that is cut repeats a row": ("transfers", "tw_dma_split.h", "rows -= part;", "rows -= part - 1u;"),
}


@pytest.mark.sample(1)
@pytest.mark.parametrize("fault", RUNTIME_FAULTS)
def test_faults_of_the_runtime_show(
    fault: str, examples: dict[str, Example], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, file, text, planted = RUNTIME_FAULTS[fault]
    shutil.copytree(RUNTIME, tmp_path / "c")
    source = tmp_path / "c" / file
    assert text in source.read_text()
    source.write_text(source.read_text().replace(text, planted))
    monkeypatch.setattr(bare, "RUNTIME", tmp_path / "c")
    assert is_found(examples[name], tmp_path, runs=2 if name == "matmul" else 1)


def test_memories_are_where_the_machine_has_them(examples: dict[str, Example], tmp_path: Path) -> None:
    elf = read_elf(build_bare(examples["npu"].folder, tmp_path / "a.elf", SIRACUSA))
    assert elf.entry == elf.symbols["tw_start_program"] == 0x1C010000
    assert elf.symbols["network_L1"] == elf.symbols["tw_l1_start"] == 0x10000000
    assert elf.symbols["network_weight"] == 0x10400000
    assert elf.symbols["tw_start_core"] % 256 == 0


@pytest.mark.parametrize("name", ["matmul", "npu"])
def test_segments_have_content_and_leave_out_l1(name: str, examples: dict[str, Example], tmp_path: Path) -> None:
    """GVSoC's loader (gvsoc-core ac27d003) writes every segment; a write of size 0 is never answered."""
    elf = read_elf(build_bare(examples[name].folder, tmp_path / "a.elf", SIRACUSA))
    assert all(0 < len(content) <= size for _, content, size in elf.segments)
    assert not any(address < 0x10040000 for address, _, _ in elf.segments)
    l1, bss = ((elf.symbols[f"{each}_start"], elf.symbols[f"{each}_end"]) for each in ("tw_l1", "tw_bss"))
    assert l1[0] == elf.symbols["network_L1"] < l1[1] <= 0x10040000
    program = next(segment for segment in elf.segments if segment[0] == elf.entry)
    assert elf.entry + len(program[1]) <= bss[0] < bss[1] == elf.entry + program[2]


# Networks with state, call by call


@pytest.fixture(scope="module")
def llama_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Llama of one layer for Siracusa, with a function for a token and one for four tokens of a prompt."""
    folder = tmp_path_factory.mktemp("llama")
    config = llama.Config(layers=1, dim=16, heads=2, hidden=16, vocabulary=24, context=32)
    (folder / "llama.onnx").write_bytes(llama.step(4, config=config).SerializeToString())
    (folder / "prompt.onnx").write_bytes(llama.prefill(4, config=config).SerializeToString())
    compilation = compile_model(Model(folder / "llama.onnx", context=16, prefill=folder / "prompt.onnx"), "siracusa")
    write_compilation(compilation, folder / "out")
    return folder / "out"


def text_calls(folder: Path, tokens: Sequence[int], whole: int = 4) -> list[BareCall]:
    """Return the calls that take in a text, `whole` tokens of it at once and the rest one by one, and what comes."""
    network = HostNetwork(folder)
    steps = [(network.number_of(PREFILL), tokens[:whole], 0)] if whole else []
    steps += [(0, [token], whole + at) for at, token in enumerate(tokens[whole:])]
    calls: list[BareCall] = []
    for entry, taken, position in steps:
        given = {"token": taken, "position": [position]}
        inputs = [np.array(given[p.name], p.dtype).reshape(p.shape) for p in network.entries[entry].inputs]
        calls.append(BareCall(inputs, network.run(inputs, entry), entry))
    return calls


TEXT = [3, 1, 2, 5, 4, 6]


@pytest.mark.nightly
def test_calls_in_sequence(llama_folder: Path) -> None:
    """The state is reset before each run, so that the second gives what the first did."""
    calls = text_calls(llama_folder, TEXT)
    done = run_bare(llama_folder, calls=calls, runs=2, flags=STRICT)
    assert len(done.cycles) == 2 * len(calls)
    for found, call in zip(done.calls, calls, strict=True):
        np.testing.assert_array_equal(found[0], (call.expected or [])[0])


def test_calls_on_siracusa(llama_folder: Path, tmp_path: Path) -> None:
    calls = text_calls(llama_folder, TEXT[:2], whole=0)
    wrong = [calls[0], replace(calls[1], expected=calls[0].expected)]
    for number, given in enumerate([calls, wrong]):
        elf = build_bare(llama_folder, tmp_path / f"{number}.elf", SIRACUSA, calls=given, flags=STRICT)
        machine = Siracusa(number)
        machine.run(elf)
        assert machine.exit_code == number
        assert ("call 1 differs in output 0" in machine.console) == bool(number)


def test_a_session_goes_on_call_by_call(llama_folder: Path) -> None:
    session, calls = BareSession(llama_folder, flags=STRICT), text_calls(llama_folder, TEXT)
    for _ in range(2):
        for call in calls:
            np.testing.assert_array_equal(session.run(call.inputs, call.entry)[0], (call.expected or [])[0])
        assert session.instructions > 1000
        session.reset()
    with pytest.raises(Diagnostic, match="the position is out of order") as error:
        session.run(calls[-1].inputs)
    assert "at position 5" in error.value.found
    np.testing.assert_array_equal(session.run(calls[0].inputs, 1)[0], (calls[0].expected or [])[0])


def test_calls_that_do_not_fit(llama_folder: Path, tmp_path: Path) -> None:
    first, *_, last = text_calls(llama_folder, TEXT)
    with pytest.raises(Diagnostic, match="only some calls have outputs to compare"):
        build_bare(llama_folder, tmp_path / "a.elf", calls=[first, replace(last, expected=None)])
    with pytest.raises(Diagnostic, match="wrong type or shape"):
        run_bare(llama_folder, calls=[replace(last, entry=1)])
    with pytest.raises(Diagnostic, match="the position is out of order"):
        run_bare(llama_folder, calls=[last])


# What is wrong with the input

LARGE = """
TW_L1 static uint8_t more_l1[@L1@];
static uint8_t more_l2[@L2@];
TW_WEIGHT_MEMORY static const uint8_t more_weights[@WEIGHTS@] = {1};
extern uint32_t more(uint32_t i);
uint32_t more(uint32_t i) {
    more_l1[i + 1u] = more_l2[i + 1u] = 1;
    return (uint32_t)more_l1[i] + more_l2[i] + more_weights[i];
}
"""


def enlarged(folder: Path, l1: int = 8, l2: int = 8, weight_memory: int = 8) -> Path:
    """Write a network that uses so many bytes more of each memory."""
    example("npu", folder)
    text = LARGE.replace("@L1@", str(l1)).replace("@L2@", str(l2)).replace("@WEIGHTS@", str(weight_memory))
    source = folder / "network.c"
    lines = source.read_text().replace("void network_run(", text + "\nvoid network_run(")
    source.write_text(
        lines.replace("    tw_dma_wait(first);", "    tw_dma_wait(first);\n    product[1] = (uint8_t)more(product[0]);")
    )
    return folder


@pytest.mark.parametrize("compiler", COMPILERS, indirect=True)
@pytest.mark.parametrize(
    ("sizes", "region", "lacks"),
    [
        ({"l1": 236 * 1024}, "L1", 9 * 1152 + 256),
        ({"weight_memory": 8 << 20}, "WEIGHT_MEMORY", None),
        ({"l2": 2 << 20}, "L2", None),
    ],
)
def test_networks_larger_than_a_memory(
    compiler: str, sizes: dict[str, int], region: str, lacks: int | None, tmp_path: Path
) -> None:
    folder = enlarged(tmp_path / "network", **sizes)
    with pytest.raises(Diagnostic, match=rf"does not fit in {region}: [\d,]+ bytes too many") as error:
        build_bare(folder, tmp_path / "a.elf", SIRACUSA)
    assert lacks is None or f": {lacks:,} bytes" in error.value.message


def test_arrays_of_other_shapes(examples: dict[str, Example], tmp_path: Path) -> None:
    folder, target = examples["matmul"].folder, tmp_path / "a.elf"
    with pytest.raises(Diagnostic, match="a wrong number of inputs"):
        build_bare(folder, target, inputs=[])
    with pytest.raises(Diagnostic, match="wrong type or shape"):
        build_bare(folder, target, inputs=[np.zeros((48, 64), np.int8)])
    with pytest.raises(Diagnostic, match="wrong type or shape"):
        build_bare(folder, target, expected=[np.zeros((40, 48), np.int8)])


def test_no_network(tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match="there is no emitted network"):
        build_bare(tmp_path, tmp_path / "a.elf")
    (tmp_path / "network.h").write_text("/* nothing */\n")
    with pytest.raises(Diagnostic, match="the header declares no network"):
        build_bare(tmp_path, tmp_path / "a.elf")


def test_no_compiler(examples: dict[str, Example], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RV32_CC", "no-such-compiler")
    with pytest.raises(Diagnostic, match=r"the compiler that \$RV32_CC names does not exist"):
        build_bare(examples["matmul"].folder, tmp_path / "a.elf")


def test_outputs_that_are_not_whole(examples: dict[str, Example]) -> None:
    ports = entries_at(examples["matmul"].folder)[0].outputs
    with pytest.raises(Diagnostic, match="has not printed an output"):
        read_console("output 0: 0011\n", ports)
