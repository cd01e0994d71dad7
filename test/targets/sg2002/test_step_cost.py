"""The modelled time of a decode step: kernels by engine, attention, reads of pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright import cli
from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.machine.file import find_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.passes import all_passes
from tilewright.passes.core.manager import PassManager
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.paged.config import PoolConfig as StoreConfig
from tilewright.runtime.paged.residency import StepTrace
from tilewright.targets.sg2002.step_cost import card_of, step_cost, trace_of

from .decoders import CONTEXT, PROMPT, SMALL, write_decoder

NETWORK = """
!x = memref<1000xf32>
func.func private @network_ffn0(%x: !x, %y: !x) attributes {engine = "tpu"} {
  linalg.add ins(%x, %x : !x, !x) outs(%y : !x)
  func.return
}
func.func private @network_prefill_ffn0(%x: !x, %y: !x) attributes {engine = "tpu"} {
  linalg.add ins(%x, %x : !x, !x) outs(%y : !x)
  func.return
}
func.func @network(%x: !x, %y: !x) {
  linalg.mul ins(%x, %x : !x, !x) outs(%y : !x)
  func.call @network_ffn0(%x, %y) : (!x, !x) -> ()
  func.call @network_ffn0(%x, %y) : (!x, !x) -> ()
  func.return
}
func.func @network_prefill(%x: !x, %y: !x) {
  func.call @network_prefill_ffn0(%x, %y) : (!x, !x) -> ()
  func.return
}
"""


def test_a_step_is_kernels_of_its_engines_attention_and_reads() -> None:
    module, machine = parse_module(new_context(), NETWORK), find_machine("sg2002")
    PassManager().run(module, parse_pipeline("attach-machine{target=sg2002},map-modules", all_passes()), new_context())
    config = StoreConfig(
        layers=2, heads=4, kv_heads=2, head_dim=8, page_length=4, capacity=64, memory=1 << 20, scale=1.0
    )
    # Two layers of two heads, which touch three pages each.
    trace = [StepTrace((), (((0, 1, 2),) * 2,) * 2)] * 2
    cost = step_cost(module, machine, trace, config, prefetch=False)
    # 12,000 bytes of operands at a byte in a cycle of 1 GHz; twice, at six, on the TPU.
    assert cost.kernels == {"core": pytest.approx(12e-6), "tpu": pytest.approx(4e-6)}
    # Of each layer: keys and values of 24 tokens of 8 floats.
    assert cost.attention == pytest.approx(2 * 2 * 24 * 8 * 4 * 1e-9)
    # The first step reads all twelve pages, the second none.
    assert cost.reads.stalls == pytest.approx([12 * card_of(machine).seconds(config.slot), 0], abs=1e-9)
    assert cost.seconds == pytest.approx(cost.computing + 6 * (1e-3 + config.slot / 20e6))


@pytest.mark.nightly
def test_a_decoder_touches_all_pages_without_a_budget(tmp_path: Path) -> None:
    model = Model(write_decoder(tmp_path / "decoder.onnx"), context=CONTEXT, page_length=4)
    network = HostNetwork(compile_model(model, "sg2002").program())
    trace = trace_of(network, PROMPT, StoreConfig.of_shape(network.pool_shape(), 1 << 20))
    assert [step.filled for step in trace] == [(at // 4,) if at % 4 == 3 else () for at in range(len(PROMPT))]
    for at, step in enumerate(trace):
        assert step.touched == ((tuple(range((at + 1) // 4)),) * SMALL.kv_heads,) * SMALL.layers


@pytest.mark.nightly
def test_the_command_prints_a_step(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, text = write_decoder(tmp_path / "decoder.onnx"), tmp_path / "text"
    text.write_bytes(bytes(PROMPT))
    words = ["tpu", "cost", str(path), "--context", str(CONTEXT), "--text", str(text), "--page-length", "4"]
    assert cli.main(words) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [row.split()[0] for row in rows] == ["core", "tpu", "attention", "card", "step", "modelled"]
    assert cli.main([*words, "--kv-memory", "1KiB"]) in (1, 2)
    assert "working set" in capsys.readouterr().err
    assert cli.main([*words, "--kv-dir", str(tmp_path)]) in (1, 2)
    assert "a modelled store has no folder" in capsys.readouterr().err
    assert cli.main([*words, "--context", "4"]) in (1, 2)
    assert "the text does not fill the context" in capsys.readouterr().err
