"""Random forms of ONNX Runtime's operators beside ONNX Runtime itself."""

from __future__ import annotations

import contextlib
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import ModelProto

from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import Array
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.tools.session import host_run
from tilewright.test import onnx_runtime
from tilewright.test.frontend.replacements.contrib_cases import Case, expected, floats
from tilewright.test.frontend.replacements.contrib_random import DRAWS, Draw, mutated, packed
from tilewright.test.passes.lowering.one_node import FLAGS, lowered
from tilewright.test.random.networks.network import random_network


def compare(case: Case, found: dict[str, Array]) -> None:
    names = [name for name in case.outputs if name]
    for name, want in zip(names, expected(case), strict=True):
        # Sums of some tens of products, in other orders.
        tolerance = {"float16": 4e-3, "uint8": 0, "int8": 0}.get(want.dtype.name, 1e-4)
        assert (found[name].dtype, found[name].shape) == (want.dtype, want.shape)
        np.testing.assert_allclose(found[name], want, tolerance, tolerance, err_msg=f"{case.op} {case.attributes}")


def check(draw: Draw, seeds: range) -> None:
    for seed in seeds:
        case = draw(np.random.default_rng(seed))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            compare(case, run_module(lowered(case.model, "tensor"), case.feeds))


@pytest.mark.sample(4)
@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw.__name__)
def test_a_form_is_what_onnx_runtime_computes(draw: Draw):
    check(draw, range(3))


@pytest.mark.nightly
@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw.__name__)
def test_many_forms_are_what_onnx_runtime_computes(draw: Draw):
    check(draw, range(100, 160))


@pytest.mark.nightly
@pytest.mark.parametrize("draw", DRAWS, ids=lambda draw: draw.__name__)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_form_in_c(draw: Draw):
    case = draw(np.random.default_rng(7))
    network = HostNetwork(render(lowered(case.model, "")), sanitize=True, flags=FLAGS)
    compare(case, host_run(network)(case.feeds))


def check_mutated(seeds: range) -> None:
    imported = 0
    for seed in seeds:
        random = np.random.default_rng(seed)
        case = mutated(DRAWS[seed % len(DRAWS)](random), random)
        with warnings.catch_warnings(), contextlib.suppress(Diagnostic):
            warnings.simplefilter("ignore", UserWarning)
            import_model(case.model)
            imported += 1
    assert 0 < imported < len(seeds)


def test_wrong_forms_are_refused_or_imported():
    check_mutated(range(66))


@pytest.mark.nightly
def test_many_wrong_forms_are_refused_or_imported():
    check_mutated(range(1000, 4000))


@pytest.mark.nightly
def test_networks_that_onnx_runtime_saves_at_its_default_level(tmp_path: Path):
    """All but layouts for one machine gives the bytes that ONNX Runtime gives."""
    refused = 0
    for network in map(random_network, range(60)):
        saved, sample = tmp_path / "saved.onnx", network.samples[0]
        wanted = saved_at_default_level(network.model, saved).run(None, sample)
        model = ModelProto.FromString(saved.read_bytes())
        if any(node.domain == "com.microsoft.nchwc" for node in model.graph.node):
            refused += 1
            continue
        found = run_module(lowered(model, "tensor"), sample)
        for name, want in zip(found, wanted, strict=True):
            np.testing.assert_allclose(found[name], want, 1e-5, 1e-5, err_msg=f"{network.seed}")
    assert refused < 6


def saved_at_default_level(model: Any, file: Path) -> Any:
    """Return a session of a network, which writes the network as it is optimised to a file."""
    onnx_runtime.require_exact()
    runtime: Any = onnxruntime
    options = runtime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 4, 1
    options.optimized_model_filepath = str(file)
    return runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


RANDOM = np.random.default_rng(1)
BLOCKS = [
    floats(2, 32),
    packed(RANDOM, 3, 2, 8),
    floats(3, 2),
    packed(RANDOM, 3, 1),
    np.arange(32, dtype=np.int32) // 16,
]
SIZES = {"K": 32, "N": 3, "block_size": 16}
MIXED = [floats(3, 4), floats(3, 2), floats(2, 6, 4), None, floats(2, 4, 6)]


def test_packed_zero_points_beside_groups_do_not_count_as_in_onnx_runtime():
    case = Case("MatMulNBits", BLOCKS, SIZES, constants=(1, 2, 3, 4))
    with pytest.warns(UserWarning, match='node "n": warning: zero points of uint8 do not count beside g_idx'):
        compare(case, run_module(lowered(case.model, "tensor"), case.feeds))


@pytest.mark.parametrize(
    ("case", "message"),
    [
        (Case("MatMulNBits", BLOCKS, SIZES, constants=(1, 2, 3)), "with such groups"),
        (Case("MatMulNBits", [*BLOCKS[:4], BLOCKS[4] + 1], SIZES, constants=(1, 2, 3, 4)), "with such groups"),
        (Case("MatMulNBits", BLOCKS[:3], SIZES | {"N": 4}, constants=(1, 2)), "48 bytes of weights"),
        (Case("MatMulNBits", [*BLOCKS[:3], floats(5)], SIZES, constants=(1, 2, 3)), "with zero points of"),
        (Case("GatherBlockQuantized", [packed(RANDOM, 2, 16), np.array([0]), floats(2, 5)]), "with scales of"),
        (
            Case("GatherBlockQuantized", [packed(RANDOM, 2, 16), np.array([0]), floats(2, 2)], {"gather_axis": 1}),
            "bytes",
        ),
        (Case("MoE", [*MIXED, None, floats(2, 6, 4)], {"k": 1}), "with fc3 or a sparse mixer"),
        (Case("MoE", MIXED, {"activation_type": "swiglu"}), "with swiglu of another layout"),
        (Case("MoE", MIXED, {"k": 3}), "attribute 'k' of MoE does not fit"),
        (Case("MoE", [floats(4, 4), *MIXED[1:]], {"k": 1}), "input 1 of MoE does not fit"),
        (Case("CDist", [floats(2, 3), floats(2, 3)], {"metric": "cityblock"}), "with the metric 'cityblock'"),
        (
            Case("RotaryEmbedding", [floats(1, 2, 8), np.array([0]), floats(4, 4), floats(4, 4)], {"scale": 2.0}),
            "scaled",
        ),
        (Case("RotaryEmbedding", [floats(1, 1, 2, 8), np.array([0]), floats(4, 2), floats(4, 2)]), "cosines"),
        (Case("DecoderMaskedMultiHeadAttention", [floats(1, 2, 4)] * 3, {"num_heads": 1}), "of 2 queries"),
        (Case("DecoderMaskedMultiHeadAttention", [floats(1, 1, 4)] * 3, {"num_heads": 1}), "a cache that grows"),
    ],
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_what_is_not_handled_says_so(case: Case, message: str):
    with pytest.raises(Diagnostic, match=message):
        import_model(case.model)
