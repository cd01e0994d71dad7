"""Ops of `vector` compute what NumPy says that they do, and what upstream's JIT computes."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import Array
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.upstream import UpstreamNetwork

X = np.random.default_rng(0).integers(-128, 128, (3, 4)).astype(np.int8)
READ = """%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%p = arith.constant 9 : i8
%v = vector.transfer_read %x[%c0, %c0], %p {in_bounds = [true, true]} : tensor<3x4xi8>, vector<3x4xi8>
%row = vector.extract %v[1] : vector<4xi8> from vector<3x4xi8>
%two = vector.extract_strided_slice %v {offsets = [0], sizes = [2], strides = [1]} : vector<3x4xi8> to vector<2x4xi8>
%mask = vector.constant_mask [2, 3] : vector<3x4xi1>
"""

CASES: dict[str, tuple[str, str, Callable[[Array], Any]]] = {
    "transfer_read beyond": (
        "%r = vector.transfer_read %x[%c1, %c1], %p : tensor<3x4xi8>, vector<3x4xi8>",
        "3x4",
        lambda x: np.pad(x[1:, 1:], ((0, 1), (0, 1)), constant_values=9),
    ),
    "transfer_read permuted": (
        "%r = vector.transfer_read %x[%c0, %c0], %p {permutation_map = affine_map<(d0, d1) -> (d1, d0)>}\n"
        ": tensor<3x4xi8>, vector<4x3xi8>",
        "4x3",
        lambda x: x.T,
    ),
    "masked transfer_read": (
        "%r = vector.mask %mask { vector.transfer_read %x[%c0, %c0], %p : tensor<3x4xi8>, vector<3x4xi8> }\n"
        ": vector<3x4xi1> -> vector<3x4xi8>",
        "3x4",
        lambda x: np.pad(x[:2, :3], ((0, 1), (0, 1)), constant_values=9),
    ),
    "insertelement": (
        "%e = vector.extractelement %row[%c1 : index] : vector<4xi8>\n"
        "%r = vector.insertelement %e, %row[%c0 : index] : vector<4xi8>",
        "4",
        lambda x: [x[1, 1], *x[1, 1:]],
    ),
    "insert": (
        "%r = vector.insert %row, %v[0] : vector<4xi8> into vector<3x4xi8>",
        "3x4",
        lambda x: x[[1, 1, 2]],
    ),
    "from_elements": (
        "%e = vector.extract %v[2, 3] : i8 from vector<3x4xi8>\n%r = vector.from_elements %e, %p : vector<2x1xi8>",
        "2x1",
        lambda x: [[x[2, 3]], [9]],
    ),
    "broadcast": (
        "%r = vector.broadcast %row : vector<4xi8> to vector<2x4xi8>",
        "2x4",
        lambda x: x[[1, 1]],
    ),
    "step": (
        "%s = vector.step : vector<4xindex>\n%n = arith.index_cast %s : vector<4xindex> to vector<4xi8>\n"
        "%r = arith.muli %n, %row : vector<4xi8>",
        "4",
        lambda x: x[1] * np.arange(4, dtype=np.int8),
    ),
    "insert_strided_slice": (
        "%r = vector.insert_strided_slice %row, %v {offsets = [2, 0], strides = [1]}\n"
        ": vector<4xi8> into vector<3x4xi8>",
        "3x4",
        lambda x: x[[0, 1, 1]],
    ),
    "shape_cast and transpose": (
        "%t = vector.transpose %v, [1, 0] : vector<3x4xi8> to vector<4x3xi8>\n"
        "%r = vector.shape_cast %t : vector<4x3xi8> to vector<2x6xi8>",
        "2x6",
        lambda x: x.T.reshape(2, 6),
    ),
    "interleave": (
        "%e, %o = vector.deinterleave %v : vector<3x4xi8> -> vector<3x2xi8>\n"
        "%r = vector.interleave %o, %e : vector<3x2xi8> -> vector<3x4xi8>",
        "3x4",
        lambda x: x.reshape(3, 2, 2)[:, :, ::-1].reshape(3, 4),
    ),
    "shuffle": (
        "%r = vector.shuffle %two, %v [4, 0, 2] : vector<2x4xi8>, vector<3x4xi8>",
        "3x4",
        lambda x: x[[2, 0, 0]],
    ),
    "contract": (
        "%a = arith.constant dense<1> : vector<2x3xi8>\n"
        "%r = vector.contract {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d2)>,\n"
        "affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>],\n"
        'iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>} %v, %two, %a\n'
        ": vector<3x4xi8>, vector<2x4xi8> into vector<2x3xi8>",
        "2x3",
        lambda x: x[:2] @ x.T + np.int8(1),
    ),
    "outerproduct": (
        "%r = vector.outerproduct %row, %row : vector<4xi8>, vector<4xi8>",
        "4x4",
        lambda x: np.multiply.outer(x[1], x[1]),
    ),
    "multi_reduction": (
        "%r = vector.multi_reduction <maxui>, %v, %row [0] : vector<3x4xi8> to vector<4xi8>",
        "4",
        lambda x: np.maximum(x.view(np.uint8).max(axis=0), x[1].view(np.uint8)).view(np.int8),
    ),
    "masked multi_reduction": (
        "%r = vector.mask %mask { vector.multi_reduction <add>, %v, %row [0] : vector<3x4xi8> to vector<4xi8> }\n"
        ": vector<3x4xi1> -> vector<4xi8>",
        "4",
        lambda x: np.array([*(x[:2, :3].sum(axis=0, dtype=np.int8) + x[1, :3]), x[1, 3]]),
    ),
    "reduction": (
        "%s = vector.reduction <mul>, %row : vector<4xi8> into i8\n%r = vector.splat %s : vector<2xi8>",
        "2",
        lambda x: [np.prod(x[1], dtype=np.int8)] * 2,
    ),
    "create_mask": (
        "%z = arith.constant dense<0> : vector<3x4xi8>\n%m = vector.create_mask %c1, %c1 : vector<3x4xi1>\n"
        "%r = arith.select %m, %v, %z : vector<3x4xi1>, vector<3x4xi8>",
        "3x4",
        lambda x: np.where(np.arange(12).reshape(3, 4) == 0, x, 0),
    ),
    "gather": (
        "%d = arith.constant dense<[2, 0]> : vector<2xindex>\n%m = arith.constant dense<[true, false]> : vector<2xi1>\n"
        "%o = arith.constant dense<5> : vector<2xi8>\n"
        "%r = vector.gather %x[%c1, %c1] [%d], %m, %o : tensor<3x4xi8>, vector<2xindex>, vector<2xi1>, vector<2xi8>\n"
        "into vector<2xi8>",
        "2",
        lambda x: [x[1, 3], 5],
    ),
    "memory": (
        "%b = memref.alloc() : memref<8xi8>\n%zero = arith.constant dense<0> : vector<8xi8>\n"
        "vector.store %zero, %b[%c0] : memref<8xi8>, vector<8xi8>\n"
        "%m = arith.constant dense<[true, false, true, false]> : vector<4xi1>\n"
        "vector.compressstore %b[%c0], %m, %row : memref<8xi8>, vector<4xi1>, vector<4xi8>\n"
        "%c4 = arith.constant 4 : index\n"
        "vector.maskedstore %b[%c4], %m, %row : memref<8xi8>, vector<4xi1>, vector<4xi8>\n"
        "%e = vector.expandload %b[%c0], %m, %row : memref<8xi8>, vector<4xi1>, vector<4xi8> into vector<4xi8>\n"
        "%f = vector.maskedload %b[%c4], %m, %row : memref<8xi8>, vector<4xi1>, vector<4xi8> into vector<4xi8>\n"
        "%g = vector.load %b[%c4] : memref<8xi8>, vector<4xi8>\n%s = arith.addi %e, %f : vector<4xi8>\n"
        "%r = arith.addi %s, %g : vector<4xi8>",
        "4",
        lambda x: x[1] * np.array([3, 2, 3, 2], np.int8),
    ),
}


def written(body: str, shape: str) -> str:
    """Return code that makes the tensor %written of the vector %r."""
    zeros = ", ".join(["%c0"] * len(shape.split("x")))
    return (
        f"{body}\n%empty = tensor.empty() : tensor<{shape}xi8>\n"
        f"%written = vector.transfer_write %r, %empty[{zeros}] : vector<{shape}xi8>, tensor<{shape}xi8>\n"
    )


@pytest.mark.parametrize("name", CASES)
def test_an_op(name: str) -> None:
    body, shape, expected = CASES[name]
    type = f"tensor<{shape}xi8>"
    code = f"{READ}{written(body, shape)}func.return %written : {type}"
    text = f"func.func @network(%x: tensor<3x4xi8>) -> {type} {{\n{code}\n}}"
    module = parse_module(new_context(), text, name)
    verify(module)
    np.testing.assert_array_equal(run_module(module, {"arg0": X})["result0"], expected(X))


_VALUE = re.compile(r"%([a-z]\w*)")
_SHARED = set(_VALUE.findall(READ))
UNLOWERED = {"masked multi_reduction", "masked transfer_read"}
"""Cases with `vector.mask`, which the pipeline of upstream does not lower."""


@pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("mlir-opt-19", "mlir-cpu-runner-19")),
    reason="no upstream MLIR 19: install Debian's mlir-19-tools",
)
def test_the_jit_agrees() -> None:
    cases = {name: case for name, case in CASES.items() if name not in UNLOWERED}
    bodies = [
        _VALUE.sub(lambda name: name[0] if name[1] in _SHARED else f"{name[0]}_{index}", written(body, shape))
        for index, (body, shape, _) in enumerate(cases.values())
    ]
    types = ", ".join(f"tensor<{shape}xi8>" for _, shape, _ in cases.values())
    results = ", ".join(f"%written_{index}" for index in range(len(cases)))
    code = "\n".join(bodies)
    text = f"func.func @network(%x: tensor<3x4xi8>) -> ({types}) {{\n{READ}{code}\nfunc.return {results} : {types}\n}}"
    outputs = UpstreamNetwork(parse_module(new_context(), text, "all")).run({"arg0": X})
    for index, (name, (_, _, expected)) in enumerate(cases.items()):
        np.testing.assert_array_equal(outputs[f"result{index}"], expected(X), err_msg=name)
