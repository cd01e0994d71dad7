"""Modules as ONNX models for Sophgo's compiler: ONNX Runtime computes what the interpreter does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto
from xdsl.dialects.builtin import ModuleOp

from tilewright import cli
from tilewright.compiler import Model
from tilewright.errors import Diagnostic
from tilewright.ir import functions
from tilewright.runtime.interpreter import Interpreter, load_rules
from tilewright.targets.sg2002.passes.outline_modules import outline_modules
from tilewright.targets.sg2002.tpu.cvimodel import nearness, sample
from tilewright.targets.sg2002.tpu.export import OPSET, exported
from tilewright.test.onnx_runtime import session

from .decoders import CONTEXT, write_decoder


def outlined(path: Path, kinds: list[str]) -> ModuleOp:
    module = Model(path, context=CONTEXT, prefill=4, page_length=4).load()
    for function in functions(module):
        outline_modules(module, function, kinds, "tpu")
    return module


@pytest.mark.sample(1)
@pytest.mark.parametrize("form", ["bf16", "f32", "int8"])
def test_models_compute_what_functions_do(tmp_path: Path, form: str) -> None:
    """Also of weights in fewer bits, which are float32 in a model."""
    path = write_decoder(tmp_path / "decoder.onnx")
    if form != "f32":
        words = ["quantize", str(path), "--weights-only", form, "-o", str(tmp_path / "narrow.onnx")]
        assert cli.main(words) == 0
        path = tmp_path / "narrow.onnx"
    module = outlined(path, ["qkv", "ffn", "head"])
    load_rules(module)
    names = [op.sym_name.data for op in functions(module) if op.sym_visibility is not None]
    assert len(names) == 10
    for function in functions(module):
        name = function.sym_name.data
        if name not in names:
            continue
        model = exported(function)
        assert [entry.version for entry in model.opset_import] == [OPSET]
        assert {tensor.data_type for tensor in model.graph.initializer} <= {TensorProto.FLOAT, TensorProto.INT64}
        assert "Reciprocal" not in [node.op_type for node in model.graph.node]
        inputs = sample(model)
        expected = Interpreter(module).call(name, list(inputs.values()))
        for one, other in zip(expected, session(model).run(None, inputs), strict=True):
            assert nearness(one, other)[1] < 1e-5


def test_integers_are_refused(tmp_path: Path) -> None:
    module = outlined(write_decoder(tmp_path / "decoder.onnx"), ["embed"])
    with pytest.raises(Diagnostic, match="the TPU takes tensors of float32 alone, network_embed has others"):
        exported(functions(module)[0])


def test_numbers_that_are_near() -> None:
    one = np.array([3.0, 4.0])
    assert nearness(one, one) == (pytest.approx(1), 0)
    assert nearness(one, np.array([3.0, 4.4]))[1] == pytest.approx(0.1)
    assert nearness(one, np.array([4.0, -3.0]))[0] == pytest.approx(0)
    assert not nearness(one, np.array([np.nan, 4.0]))[1] <= 1
