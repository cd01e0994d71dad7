"""Ops of upstream that xDSL lacks compute what NumPy says that they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.runtime.interpreter import run_module

X = np.random.default_rng(0).integers(-128, 128, (3, 4)).astype(np.int8)
ROWS = "%i = arith.constant dense<[[2], [0]]> : tensor<2x1xindex>\n"

Case = tuple[str, str, Callable[[Array], Any]]
"""Code that makes %r of %x, a tensor<3x4xi8>; the type of %r; what it is."""


def blocks(x: Array) -> Array:
    padded = np.pad(x, ((0, 1), (0, 0)), constant_values=7)
    return padded.reshape(2, 2, 2, 2).transpose(2, 0, 3, 1)


def shifted_rows(x: Array) -> Array:
    return np.concatenate([x[1:2], x[2:3], x[:1]])


CASES: dict[str, Case] = {
    "gather": (
        ROWS + "%r = tensor.gather %x[%i] gather_dims([0]) : (tensor<3x4xi8>, tensor<2x1xindex>) -> tensor<2x4xi8>",
        "tensor<2x4xi8>",
        lambda x: x[[2, 0]],
    ),
    "gather of columns": (
        ROWS + "%r = tensor.gather %x[%i] gather_dims([1]) : (tensor<3x4xi8>, tensor<2x1xindex>) -> tensor<2x3x1xi8>",
        "tensor<2x3x1xi8>",
        lambda x: x.T[[2, 0]][:, :, None],
    ),
    "scatter": (
        ROWS + "%s = arith.constant dense<[[1, 2, 3, 4], [5, 6, 7, 8]]> : tensor<2x4xi8>\n"
        "%r = tensor.scatter %s into %x[%i] scatter_dims([0]) unique\n"
        ": (tensor<2x4xi8>, tensor<3x4xi8>, tensor<2x1xindex>) -> tensor<3x4xi8>",
        "tensor<3x4xi8>",
        lambda x: np.array([[5, 6, 7, 8], x[1], [1, 2, 3, 4]]),
    ),
    "generate": (
        "%n = arith.constant 2 : index\n%g = tensor.generate %n {\n^bb0(%i: index, %j: index):\n"
        "%e = tensor.extract %x[%j, %i] : tensor<3x4xi8>\ntensor.yield %e : i8\n} : tensor<?x3xi8>\n"
        "%r = tensor.cast %g : tensor<?x3xi8> to tensor<2x3xi8>",
        "tensor<2x3xi8>",
        lambda x: x.T[:2],
    ),
    "bitcast": (
        "%u = tensor.bitcast %x : tensor<3x4xi8> to tensor<3x4xui8>\n"
        "%r = tensor.bitcast %u : tensor<3x4xui8> to tensor<3x4xi8>",
        "tensor<3x4xi8>",
        lambda x: x,
    ),
    "rank": (
        "%n = tensor.rank %x : tensor<3x4xi8>\n%e = arith.index_cast %n : index to i8\n"
        "%r = tensor.from_elements %e : tensor<1xi8>",
        "tensor<1xi8>",
        lambda x: [2],
    ),
    "pack": (
        "%o = tensor.empty() : tensor<2x2x2x2xi8>\n%p = arith.constant 7 : i8\n"
        "%r = tensor.pack %x padding_value(%p : i8) "
        "outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [2, 2] into %o\n"
        ": tensor<3x4xi8> -> tensor<2x2x2x2xi8>",
        "tensor<2x2x2x2xi8>",
        blocks,
    ),
    "unpack": (
        "%o = tensor.empty() : tensor<2x2x2x2xi8>\n%p = arith.constant 7 : i8\n"
        "%q = tensor.pack %x padding_value(%p : i8) "
        "outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [2, 2] into %o\n"
        ": tensor<3x4xi8> -> tensor<2x2x2x2xi8>\n"
        "%r = tensor.unpack %q outer_dims_perm = [1, 0] inner_dims_pos = [1, 0] inner_tiles = [2, 2] into %x\n"
        ": tensor<2x2x2x2xi8> -> tensor<3x4xi8>",
        "tensor<3x4xi8>",
        lambda x: x,
    ),
    "forall": (
        "%o = tensor.empty() : tensor<3x4xi8>\n%c1 = arith.constant 1 : index\n%c3 = arith.constant 3 : index\n"
        "%r = scf.forall (%i) = (0) to (%c3) step (1) shared_outs(%s = %o) -> (tensor<3x4xi8>) {\n"
        "%t = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<3x4xi8> to tensor<1x4xi8>\n"
        "%j = affine.apply affine_map<(d0) -> ((d0 + 2) mod 3)>(%i)\n"
        "scf.forall.in_parallel {\n"
        "tensor.parallel_insert_slice %t into %s[%j, 0] [1, 4] [1, 1] : tensor<1x4xi8> into tensor<3x4xi8>\n}\n}",
        "tensor<3x4xi8>",
        shifted_rows,
    ),
    "indices": (
        "%i = arith.constant -7 : index\n%n = arith.constant 3 : index\n"
        "%d:3 = affine.delinearize_index %i into (%n, %n, %n) : index, index, index\n"
        "%m = affine.max affine_map<(d0)[s0] -> (d0, s0 - 1)>(%i)[%n]\n"
        "%r = tensor.from_elements %d#0, %d#1, %d#2, %m : tensor<4xindex>",
        "tensor<4xindex>",
        lambda x: [-1, 0, 2, 2],
    ),
    "memref.transpose": (
        "%m = bufferization.to_buffer %x : tensor<3x4xi8> to memref<3x4xi8>\n"
        "%t = memref.transpose %m (i, j) -> (j, i) : memref<3x4xi8> to memref<4x3xi8, strided<[1, 4]>>\n"
        "%d = memref.alloc() : memref<4x3xi8>\n"
        "memref.copy %t, %d : memref<4x3xi8, strided<[1, 4]>> to memref<4x3xi8>\n"
        "%r = bufferization.to_tensor %d : memref<4x3xi8> to tensor<4x3xi8>",
        "tensor<4x3xi8>",
        lambda x: x.T,
    ),
    "memref.reshape": (
        "%m = bufferization.to_buffer %x : tensor<3x4xi8> to memref<3x4xi8>\n"
        "%s = memref.alloc() : memref<2xindex>\n%c0 = arith.constant 0 : index\n%c1 = arith.constant 1 : index\n"
        "%c2 = arith.constant 2 : index\n%c6 = arith.constant 6 : index\n"
        "memref.store %c2, %s[%c0] : memref<2xindex>\nmemref.store %c6, %s[%c1] : memref<2xindex>\n"
        "memref.prefetch %m[%c0, %c1], read, locality<3>, data : memref<3x4xi8>\n"
        "%t = memref.reshape %m(%s) : (memref<3x4xi8>, memref<2xindex>) -> memref<2x6xi8>\n"
        "%r = bufferization.to_tensor %t : memref<2x6xi8> to tensor<2x6xi8>",
        "tensor<2x6xi8>",
        lambda x: x.reshape(2, 6),
    ),
    "memref.realloc": (
        "%v = tensor.collapse_shape %x [[0, 1]] : tensor<3x4xi8> into tensor<12xi8>\n"
        "%m = bufferization.to_buffer %v : tensor<12xi8> to memref<12xi8>\n"
        "%t = memref.realloc %m : memref<12xi8> to memref<5xi8>\n"
        "%r = bufferization.to_tensor %t : memref<5xi8> to tensor<5xi8>",
        "tensor<5xi8>",
        lambda x: x.ravel()[:5],
    ),
    "memref.generic_atomic_rmw": (
        "%m = bufferization.to_buffer %x : tensor<3x4xi8> to memref<3x4xi8>\n%c1 = arith.constant 1 : index\n"
        "%u = memref.generic_atomic_rmw %m[%c1, %c1] : memref<3x4xi8> {\n^bb0(%old: i8):\n"
        "%new = arith.addi %old, %old : i8\nmemref.atomic_yield %new : i8\n}\n"
        "%n = memref.load %m[%c1, %c1] : memref<3x4xi8>\n%r = tensor.from_elements %u, %n : tensor<2xi8>",
        "tensor<2xi8>",
        lambda x: x[1, 1] * np.array([1, 2], np.int8),
    ),
    "memref.atomic_rmw": (
        "%m = bufferization.to_buffer %x : tensor<3x4xi8> to memref<3x4xi8>\n%c1 = arith.constant 1 : index\n"
        "%v = memref.load %m[%c1, %c1] : memref<3x4xi8>\n"
        "%u = memref.atomic_rmw addi %v, %m[%c1, %c1] : (i8, memref<3x4xi8>) -> i8\n"
        "%n = memref.load %m[%c1, %c1] : memref<3x4xi8>\n%r = tensor.from_elements %u, %n : tensor<2xi8>",
        "tensor<2xi8>",
        lambda x: x[1, 1] * np.array([1, 2], np.int8),
    ),
    "memref.extract_strided_metadata": (
        "%m = bufferization.to_buffer %x : tensor<3x4xi8> to memref<3x4xi8>\n"
        "%p = memref.subview %m[1, 2] [2, 1] [1, 1] : memref<3x4xi8> to memref<2x1xi8, strided<[4, 1], offset: 6>>\n"
        "%b, %o, %s:2, %t:2 = memref.extract_strided_metadata %p : memref<2x1xi8, strided<[4, 1], offset: 6>>"
        " -> memref<i8>, index, index, index, index, index\n"
        "%r = tensor.from_elements %o, %s#0, %s#1, %t#0, %t#1 : tensor<5xindex>",
        "tensor<5xindex>",
        lambda x: np.array([6, 2, 1, 4, 1]),
    ),
    "affine.parallel": (
        "%m = bufferization.to_buffer %x : tensor<3x4xi8> to memref<3x4xi8>\n"
        '%u:2 = affine.parallel (%i, %j) = (0, 0) to (3, 4) reduce ("addi", "muli") -> (i8, i8) {\n'
        "%v = affine.load %m[%i, %j] : memref<3x4xi8>\naffine.yield %v, %v : i8, i8\n}\n"
        "%r = tensor.from_elements %u#0, %u#1 : tensor<2xi8>",
        "tensor<2xi8>",
        lambda x: np.array([x.sum(dtype=np.int8), x.prod(dtype=np.int8)]),
    ),
    "affine.vector_load": (
        "%m = bufferization.to_buffer %x : tensor<3x4xi8> to memref<3x4xi8>\n%c1 = arith.constant 1 : index\n"
        "%v = affine.vector_load %m[%c1, %c1 + 1] : memref<3x4xi8>, vector<2xi8>\n"
        "affine.vector_store %v, %m[0, %c1] : memref<3x4xi8>, vector<2xi8>\n"
        "%r = bufferization.to_tensor %m : memref<3x4xi8> to tensor<3x4xi8>",
        "tensor<3x4xi8>",
        lambda x: np.concatenate([np.concatenate([x[:1, :1], x[1:2, 2:4], x[:1, 3:]], 1), x[1:]]),
    ),
    "linalg.map": (
        "%o = tensor.empty() : tensor<3x4xi8>\n"
        "%r = linalg.map { arith.subi } ins(%x, %x : tensor<3x4xi8>, tensor<3x4xi8>) outs(%o : tensor<3x4xi8>)",
        "tensor<3x4xi8>",
        lambda x: x - x,
    ),
    "linalg.elemwise_unary": (
        "%o = tensor.empty() : tensor<3x4xf32>\n"
        "%r = linalg.elemwise_unary {cast = #linalg.type_fn<cast_unsigned>, fun = #linalg.unary_fn<square>}\n"
        "ins(%x : tensor<3x4xi8>) outs(%o : tensor<3x4xf32>) -> tensor<3x4xf32>",
        "tensor<3x4xf32>",
        lambda x: x.view(np.uint8).astype(np.float32) ** 2,
    ),
    "linalg.matmul_transpose_b": (
        "%o = arith.constant dense<1> : tensor<3x3xi32>\n"
        "%r = linalg.matmul_transpose_b ins(%x, %x : tensor<3x4xi8>, tensor<3x4xi8>) outs(%o : tensor<3x3xi32>)\n"
        "-> tensor<3x3xi32>",
        "tensor<3x3xi32>",
        lambda x: x.astype(np.int32) @ x.astype(np.int32).T + 1,
    ),
    "linalg.vecmat": (
        "%v = arith.constant dense<[1, -2, 3]> : tensor<3xi8>\n%o = arith.constant dense<0> : tensor<4xi32>\n"
        "%r = linalg.vecmat ins(%v, %x : tensor<3xi8>, tensor<3x4xi8>) outs(%o : tensor<4xi32>) -> tensor<4xi32>",
        "tensor<4xi32>",
        lambda x: np.array([1, -2, 3]) @ x.astype(np.int32),
    ),
}


def result_of(case: Case) -> Array:
    """Return what the interpreter says that %r is."""
    body, type, _ = case
    text = f"func.func @network(%x: tensor<3x4xi8>) -> {type} {{\n{body}\nfunc.return %r : {type}\n}}"
    module = parse_module(new_context(), text, "case")
    verify(module)
    return run_module(module, {"arg0": X})["result0"]


@pytest.mark.parametrize("name", CASES)
def test_an_op(name: str) -> None:
    np.testing.assert_array_equal(result_of(CASES[name]), CASES[name][2](X))


UNDEFINED: dict[str, tuple[str, str]] = {
    "gather": (
        "%i = arith.constant dense<[[3], [0]]> : tensor<2x1xindex>\n"
        "%r = tensor.gather %x[%i] gather_dims([0]) : (tensor<3x4xi8>, tensor<2x1xindex>) -> tensor<2x4xi8>",
        "'tensor.gather' is out of bounds along axis 0",
    ),
    "winograd": (
        "%f = tensor.empty() : tensor<2x3x3x4xi8>\n%o = tensor.empty() : tensor<6x6x4x2xi8>\n"
        "%s = linalg.winograd_filter_transform m(4) r(3) ins(%f : tensor<2x3x3x4xi8>) outs(%o : tensor<6x6x4x2xi8>)\n"
        "-> tensor<6x6x4x2xi8>\n%r = tensor.empty() : tensor<2x4xi8>",
        "no interpreter rule for 'linalg.winograd_filter_transform'",
    ),
}


@pytest.mark.parametrize("name", UNDEFINED)
def test_what_has_no_value_is_told(name: str) -> None:
    body, message = UNDEFINED[name]
    with pytest.raises(Diagnostic, match=message.replace("(", r"\(")):
        result_of((body, "tensor<2x4xi8>", np.asarray))
