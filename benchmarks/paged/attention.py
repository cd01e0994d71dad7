"""
Attention of one token over the paged key-value store in C, beside ONNX Runtime's GroupQueryAttention, on one thread.

    python benchmarks/paged/attention.py [--tokens 1024,8192,32768] [--runs 50]

A layer of 8 query and 2 KV heads of 64, in pages of 32 tokens that are all resident: all pages (dense), and 16 of them,
which each query selects by their digests. ONNX Runtime has its cache in place, by an IO binding. Medians of the
processor time of a call, in microseconds, and the bytes of the attended keys and values over it. Exit code 1 where a
result differs from ONNX Runtime's by more than 1e-5, or dense attention over bfloat16 takes more than its time.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tilewright.runtime.paged.config import Element, PoolConfig
from tilewright.runtime.paged.native import NativePool, library

HEADS, KV_HEADS, DIM, PAGE, BUDGET = 8, 2, 64, 32, 16
CLOSE = 1e-5
Floats = NDArray[np.float32]


def medians(calls: dict[str, Callable[[], Any]], runs: int) -> dict[str, float]:
    """Return the median processor time of each call in seconds; they are made in turn."""
    spent: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(runs):
        for name, call in calls.items():
            start = time.process_time_ns()
            call()
            spent[name].append((time.process_time_ns() - start) * 1e-9)
    return {name: statistics.median(times) for name, times in spent.items()}


def configuration(tokens: int, element: Element, budget: int) -> PoolConfig:
    """Return a configuration whose pages are all resident."""
    config = PoolConfig(
        layers=1,
        heads=HEADS,
        kv_heads=KV_HEADS,
        head_dim=DIM,
        page_length=PAGE,
        capacity=tokens + PAGE,
        memory=1 << 40,
        scale=DIM**-0.5,
        element=element,
        digest=element,
        budget_pages=budget,
    )
    return replace(config, memory=config.working_set + config.pages * config.rows * (config.slot + 64))


def attention(config: PoolConfig, keys: Floats, values: Floats, query: Floats) -> tuple[Callable[[], Any], Floats, Any]:
    """Open a pool with all tokens, the last in a step; returns the call of attend, its results and the pool."""
    pool = NativePool(config)
    sequence, count = pool.create(), len(keys)
    for first, last in ((0, count - 1), (count - 1, count)):
        pool.begin(sequence, np.zeros(last - first, np.uint32))
        pool.append(0, keys[first:last], values[first:last])
        if last < count:
            pool.commit()
    results = np.empty_like(query)
    pointers = [array.ctypes.data_as(ctypes.c_void_p) for array in (query, results)]
    attend, layer, handle = library().tw_paged_attend, ctypes.c_uint32(0), ctypes.c_void_p(pool.address)
    return lambda: attend(handle, layer, *pointers), results, pool


def onnx_runtime(keys: Floats, values: Floats, query: Floats) -> tuple[Callable[[], Any], Callable[[], Floats]]:
    """Return a run of GroupQueryAttention, whose cache holds all tokens but the last, and its result."""
    import onnxruntime
    from onnx import TensorProto, helper

    runtime: Any = onnxruntime
    count = len(keys)
    cache = [1, KV_HEADS, count, DIM]
    shapes = {"query": [1, 1, HEADS * DIM], "key": [1, 1, KV_HEADS * DIM], "value": [1, 1, KV_HEADS * DIM]}
    shapes |= {"past_key": cache, "past_value": cache}
    inputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in shapes.items()]
    inputs += [helper.make_tensor_value_info("seqlens_k", TensorProto.INT32, [1])]
    inputs += [helper.make_tensor_value_info("total", TensorProto.INT32, [1])]
    outputs = {"output": shapes["query"], "present_key": cache, "present_value": cache}
    results = [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in outputs.items()]
    names = [*shapes, "seqlens_k", "total"]
    node = helper.make_node(
        "GroupQueryAttention", names, [*outputs], domain="com.microsoft", num_heads=HEADS, kv_num_heads=KV_HEADS
    )
    graph = helper.make_graph([node], "attention", inputs, results)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.microsoft", 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=9)
    options = runtime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = runtime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    binding = session.io_binding()
    arrays = {
        "query": query.reshape(1, 1, -1),
        "key": keys[-1].reshape(1, 1, -1),
        "value": values[-1].reshape(1, 1, -1),
    }
    arrays |= {"seqlens_k": np.array([count - 1], np.int32), "total": np.array([count], np.int32)}
    kept = {name: runtime.OrtValue.ortvalue_from_numpy(array) for name, array in arrays.items()}
    for kind, array in (("key", keys), ("value", values)):
        kept[f"past_{kind}"] = runtime.OrtValue.ortvalue_from_numpy(np.ascontiguousarray(array.swapaxes(0, 1)[None]))
        binding.bind_ortvalue_output(f"present_{kind}", kept[f"past_{kind}"])
    kept["output"] = runtime.OrtValue.ortvalue_from_numpy(np.empty((1, 1, HEADS * DIM), np.float32))
    binding.bind_ortvalue_output("output", kept["output"])
    for name in names:
        binding.bind_ortvalue_input(name, kept[name])
    return lambda: session.run_with_iobinding(binding), lambda: kept["output"].numpy().reshape(query.shape)


def compared(tokens: int, runs: int) -> bool:
    """Print the times at a length of the context; returns whether the claims hold."""
    rng = np.random.default_rng(tokens)
    keys, values = rng.standard_normal((2, tokens, KV_HEADS, DIM), np.float32)
    query = rng.standard_normal((1, HEADS, DIM), np.float32)
    calls: dict[str, Callable[[], Any]] = {}
    results: dict[str, Floats] = {}
    pools: list[Any] = []
    for name, element, budget in (
        ("dense f32", Element.F32, 0),
        ("dense bf16", Element.BF16, 0),
        ("16 pages f32", Element.F32, BUDGET),
        ("16 pages bf16", Element.BF16, BUDGET),
    ):
        call, results[name], pool = attention(configuration(tokens, element, budget), keys, values, query)
        calls[name] = call
        pools.append(pool)
    output: Callable[[], Floats] | None = None
    if find_spec("onnxruntime") is not None:
        calls["ONNX Runtime f32"], output = onnx_runtime(keys, values, query)
    spent = medians(calls, runs)
    for name, seconds in spent.items():
        attended = min(tokens, BUDGET * PAGE) if name.startswith("16") else tokens
        moved = 2 * attended * KV_HEADS * DIM * (2 if name.endswith("bf16") else 4)
        print(f"{tokens:>8} {name:<18} {seconds * 1e6:>10.1f} us {moved / seconds * 1e-9:>8.1f} GB/s")
    for pool in pools:
        pool.close()
    if output is None:
        return True
    difference = float(np.abs(results["dense f32"] - output()).max())
    print(f"{tokens:>8} dense f32 differs from ONNX Runtime by {difference:.1e}")
    return difference <= CLOSE and spent["dense bf16"] <= spent["ONNX Runtime f32"]


def main() -> int:
    """Run the benchmark; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tokens", default="1024,8192,32768", help="lengths of the context")
    parser.add_argument("--runs", type=int, default=50, help="runs, of which the median counts")
    options = parser.parse_args()
    if find_spec("onnxruntime") is None:
        print("onnxruntime is not installed: no peer")
    return 0 if all([compared(int(tokens), options.runs) for tokens in options.tokens.split(",")]) else 1


if __name__ == "__main__":
    sys.exit(main())
