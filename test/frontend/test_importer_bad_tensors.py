"""Tensors that hold not what they claim are refused: in the model, sparse, and in files beside it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from tilewright.test.frontend.bad_models import RELU, model, node, refusal

pytestmark = pytest.mark.quick


def corrupt(change: Callable[[TensorProto], object]) -> ModelProto:
    tensor = numpy_helper.from_array(np.ones((2, 3), np.float32), "w")
    change(tensor)
    return model([node("Add", "x w", "y")], {"w": tensor})


CORRUPTIONS: dict[str, tuple[Callable[[TensorProto], object], str]] = {
    "huge": (lambda t: t.dims.__setitem__(0, 1 << 40), "bytes for the shape [1099511627776, 3]"),
    "huge and empty": (lambda t: t.dims.extend([1 << 62, 0]), "bytes for the shape [2, 3, 4611686018427387904, 0]"),
    "negative": (lambda t: t.dims.__setitem__(0, -2), "a negative dimension"),
    "short": (lambda t: setattr(t, "raw_data", t.raw_data[:-1]), "found:      23 bytes"),
    "none": (lambda t: t.ClearField("raw_data"), "found:      0 entries in float_data"),
    "texts": (lambda t: setattr(t, "data_type", TensorProto.STRING), "found:      STRING"),
    "type": (lambda t: setattr(t, "data_type", 77), "found:      type number 77"),
}


@pytest.mark.parametrize("name", CORRUPTIONS)
def test_tensors_that_hold_not_what_they_claim(name: str):
    change, words = CORRUPTIONS[name]
    text = refusal(corrupt(change))
    assert text.startswith('tensor "w": error: ')
    assert words in text


def sparse(dims: list[int], indices: Any) -> ModelProto:
    given = model([RELU])
    values = numpy_helper.from_array(np.ones(len(indices), np.float32), "s")
    positions = numpy_helper.from_array(np.array(indices, np.int64))
    given.graph.sparse_initializer.append(helper.make_sparse_tensor(values, positions, dims))
    return given


@pytest.mark.parametrize(("dims", "indices"), [([4], [4]), ([4], [-1]), ([2, 2], [[0, 2]]), ([2, 2], [[0, 0, 0]])])
def test_indices_of_sparse_tensors_are_in_them(dims: list[int], indices: Any):
    assert 'tensor "s": error: a sparse tensor has indices that do not fit it' in refusal(sparse(dims, indices))


def test_a_sparse_tensor_of_a_terabyte_is_refused():
    text = refusal(sparse([1 << 20, 1 << 18], [7]))
    assert 'tensor "s": error: a tensor is larger than the memory of this machine' in text
    assert "1,099,511,627,776 bytes" in text


def test_a_tensor_that_claims_a_terabyte_is_refused():
    text = refusal(corrupt(lambda tensor: (tensor.ClearField("raw_data"), tensor.dims.extend([1 << 38]))[0]))
    assert "larger than the memory of this machine" in text


def external(folder: Path, location: str, **entries: int) -> Path:
    given = corrupt(lambda tensor: tensor.ClearField("raw_data"))
    tensor = given.graph.initializer[0]
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": location, **entries}.items():
        tensor.external_data.add(key=key, value=str(value))
    (folder / "m.onnx").write_bytes(given.SerializeToString())
    return folder / "m.onnx"


def test_external_data_outside_the_folder(tmp_path: Path):
    (tmp_path / "secret").write_bytes(bytes(24))
    (tmp_path / "net").mkdir()
    os.symlink(tmp_path / "secret", tmp_path / "net" / "link")
    for location in ("../secret", str(tmp_path / "secret"), "link", ""):
        assert "external data lie outside the model's folder" in refusal(external(tmp_path / "net", location))


def test_external_data_missing_or_short(tmp_path: Path):
    assert "external data cannot be read" in refusal(external(tmp_path, "none.bin"))
    (tmp_path / "w.bin").write_bytes(bytes(20))
    assert "as much data as its shape says" in refusal(external(tmp_path, "w.bin"))
    assert "beyond the end of their file" in refusal(external(tmp_path, "w.bin", length=24))
    assert "beyond the end of their file" in refusal(external(tmp_path, "w.bin", offset=-8, length=24))


def test_external_data_of_a_model_in_memory(tmp_path: Path):
    assert "import the model by its path" in refusal(ModelProto.FromString(external(tmp_path, "w.bin").read_bytes()))
