"""A whole decoder whose pages are in memory, behind a plan of its kernels: the scores of the store, bit for bit."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from tilewright.compiler import Model
from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.frontend.zoo.klm import KlmConfig, build_open
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import Session
from tilewright.runtime.paged.pool import Pool
from tilewright.test.machines.make import library
from tilewright.test.passes.paging.steps import CONTEXT

SMALL = KlmConfig(layers=2, dim=32, heads=4, kv_heads=2, head=8, hidden=48, vocabulary=40)
BUFFERS = (
    "recover-operators{lowered=true},decompose-functions,infer-integer-types,convert-onnx-to-linalg,canonicalize,"
    "fold-constants,cse,fuse-epilogues,canonicalize,cse,bufferize"
)
EXPANDED = f"expand-paged-attend{{budget=3 sinks=1}},{BUFFERS}"
PLANNED = (
    f"{EXPANDED},map-engines,unfuse-epilogues,permute-operands,plan-memory{{level-bytes=32768}},"
    "place-paged-pool{address=32768},verify-memory,allocate-static,expand-grid,pipeline-dma,verify-levels,"
    "verify-memory{tiles=false}"
)
TO_C = "outline-kernels,convert-dma-to-loops,convert-kernels-to-loops,convert-to-emitc"
POSITIONS = 18


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("decoder") / "decoder.onnx"
    path.write_bytes(build_open(3, config=SMALL).SerializeToString())
    return path


def lowered(decoder: Path, passes: str) -> ModuleOp:
    module = Model(decoder, context=40, page_length=4).load()
    attach_machine(module, library("two_level"))
    for step in parse_pipeline(passes, all_passes()).steps:
        step.run.apply(CONTEXT, module)
        verify(module)
    return module


def calls() -> list[dict[str, Array]]:
    tokens = [(position * 7) % 40 for position in range(POSITIONS)]
    return [
        {"input_ids": np.array([[token]], np.int64), "position": np.array([position], np.int32)}
        for position, token in enumerate(tokens)
    ]


def scores_of(session: Session) -> Array:
    return np.stack([next(iter(session.run(call).values())) for call in calls()])


@pytest.fixture(scope="module")
def expected(decoder: Path) -> Array:
    """Return the scores of the decoder on a store that selects by its own policy."""
    session = Session(lowered(decoder, BUFFERS))
    bound = session.storage("kv")
    bound.pool = Pool(replace(bound.pool.config, budget_pages=3, sinks=1))
    bound.sequence = bound.pool.create()
    return scores_of(session)


@pytest.mark.nightly
def test_a_plan_and_pages_in_memory(decoder: Path, expected: Array) -> None:
    module = lowered(decoder, PLANNED)
    np.testing.assert_array_equal(scores_of(Session(module)), expected)


@pytest.mark.nightly
def test_positions_are_those_of_state(decoder: Path) -> None:
    session = Session(lowered(decoder, f"{EXPANDED},place-paged-pool"))
    first, second, *_ = calls()
    session.run(first)
    with pytest.raises(Diagnostic, match="position"):
        session.run(second | {"position": np.array([5], np.int32)})
    session.run(second)


@pytest.mark.nightly
def test_c_of_a_decoder(decoder: Path, expected: Array) -> None:
    network = HostNetwork(render(lowered(decoder, f"{PLANNED},{TO_C}")), sanitize=True)
    names = [port.name for port in network.inputs]
    scores = [network.run([call[name] for name in names])[0] for call in calls()]
    # Products of matrices: in f64 by the interpreter, in f32 and in order by C.
    np.testing.assert_allclose(np.stack(scores), expected, rtol=1e-4, atol=1e-5)
