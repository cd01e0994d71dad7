"""Threads of `native`: outputs that do not depend on their number, and the pool of the C runtime."""

from __future__ import annotations

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import ModelProto, TensorProto, helper, numpy_helper

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.syntax.text import new_context
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.passes.convert_to_emitc import ConvertToEmitcPass
from tilewright.passes.fork_threads import ForkThreadsPass
from tilewright.passes.formats.c import CProgram, render, write_program
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.processes import finished
from tilewright.runtime.toolchain import STRICT, compile_executable
from tilewright.test.small_models import node, save

HEADER = "tilewright_fork.h"
TARGETS = ("native", "native-avx2")


def integers(random: np.random.Generator) -> tuple[ModelProto, Array]:
    """Return a dense convolution of bytes, a depthwise one and a pooling of the input [1, C, H, W], and the input."""
    channels, features = int(random.integers(1, 9)), int(random.integers(1, 70))
    size = [int(extent) for extent in random.integers(6, 20, 2)]
    x = random.integers(0, 256, (1, channels, *size)).astype(np.uint8)
    weights = {
        "w": random.integers(-127, 128, (features, channels, 3, 3)).astype(np.int8),
        "d": random.integers(-127, 128, (channels, 1, 3, 3)).astype(np.int8),
    }
    nodes = [
        node("ConvInteger", ["x", "w"], ["y"], pads=[1, 1, 1, 1], strides=[int(random.integers(1, 3))] * 2),
        node("ConvInteger", ["x", "d"], ["z"], group=channels),
        node("MaxPool", ["x"], ["p"], kernel_shape=[3, 3]),
    ]
    outputs = {"y": TensorProto.INT32, "z": TensorProto.INT32, "p": TensorProto.UINT8}
    return _model(nodes, x, weights, outputs), x


def floats(random: np.random.Generator) -> tuple[ModelProto, Array]:
    """Return products of the input [M, K] with constants and with itself, a softmax and a norm, and the input."""
    rows, depth, columns = (int(extent) for extent in random.integers(3, 60, 3))
    x = random.standard_normal((rows, depth)).astype(np.float32)
    weights = {
        "w": random.standard_normal((depth, columns)).astype(np.float32),
        "scale": random.standard_normal(columns).astype(np.float32),
    }
    nodes = [
        node("MatMul", ["x", "w"], ["m"]),
        node("LayerNormalization", ["m", "scale"], ["n"]),
        node("Transpose", ["m"], ["t"], perm=[1, 0]),
        node("MatMul", ["n", "t"], ["q"]),
        node("Softmax", ["q"], ["y"]),
        node("Sigmoid", ["m"], ["z"]),
    ]
    return _model(nodes, x, weights, {"y": TensorProto.FLOAT, "z": TensorProto.FLOAT}), x


NETWORKS = {"integers": integers, "floats": floats}


def _model(nodes: list[Any], x: Array, weights: dict[str, Array], outputs: Mapping[str, int]) -> ModelProto:
    graph = helper.make_graph(
        nodes,
        "random",
        [helper.make_tensor_value_info("x", helper.np_dtype_to_tensor_dtype(x.dtype), x.shape)],
        [helper.make_tensor_value_info(name, kind, None) for name, kind in outputs.items()],
        [numpy_helper.from_array(value, name) for name, value in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def program(model: Path, target: str, threads: int, x: Array) -> CProgram:
    """Return the C with every kernel split that can be, however small; the interpreter must run it alike."""
    module = compile_model(Model(model), target, stop_after="loops").module
    expected = run_module(module, {"x": x})
    ForkThreadsPass(threads, kernel_cycles=0, network_cycles=0).apply(new_context(), module)
    assert ("hier.fork" in str(module)) == (threads > 1)
    for name, output in run_module(module, {"x": x}).items():
        np.testing.assert_array_equal(output, expected[name])
    ConvertToEmitcPass(HEADER).apply(new_context(), module)
    return render(module)


@pytest.mark.parametrize("kind", NETWORKS)
def test_outputs_do_not_depend_on_the_number_of_threads(kind: str, tmp_path: Path) -> None:
    random = np.random.default_rng(len(kind))
    model, x = NETWORKS[kind](random)
    save(model, tmp_path / "net.onnx")
    programs = [program(tmp_path / "net.onnx", "native", threads, x) for threads in (1, 2, 3)]
    networks = [HostNetwork(each, flags=STRICT) for each in programs]
    first, *others = [[network.run([x]) for _ in range(20)] for network in networks for _ in range(2)]
    for outputs in [output for network in others for output in network]:
        for output, expected in zip(outputs, first[0], strict=True):
            assert output.tobytes() == expected.tobytes()


def repeated(network: HostNetwork, x: Array) -> list[list[Array]]:
    return [network.run([x]) for _ in range(200)]


def test_networks_run_at_the_same_time(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    networks: list[tuple[HostNetwork, Array]] = []
    for kind, build in NETWORKS.items():
        model, x = build(random)
        save(model, tmp_path / f"{kind}.onnx")
        networks.append((HostNetwork(program(tmp_path / f"{kind}.onnx", "native", 2, x)), x))
    alone = [network.run([x]) for network, x in networks]
    with ThreadPoolExecutor() as pool:
        runs = [pool.submit(repeated, network, x) for network, x in networks]
    for expected, run in zip(alone, runs, strict=True):
        for outputs in run.result():
            assert [each.tobytes() for each in outputs] == [each.tobytes() for each in expected]


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kind", NETWORKS)
def test_outputs_of_random_networks(kind: str, target: str, seed: int, tmp_path: Path) -> None:
    model, x = NETWORKS[kind](np.random.default_rng(seed))
    save(model, tmp_path / "net.onnx")
    programs = [program(tmp_path / "net.onnx", target, threads, x) for threads in (1, 2, 3, 7)]
    first, *others = [HostNetwork(each, flags=("-march=native",)).run([x]) for each in programs]
    sanitized = HostNetwork(programs[2], sanitize=True, flags=STRICT).run([x])
    for outputs in others:
        assert [each.tobytes() for each in outputs] == [each.tobytes() for each in first]
    np.testing.assert_allclose(sanitized[0], first[0], rtol=1e-4, atol=1e-5)


DRIVER = """
#include "network.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static {type} x[NETWORK_INPUT_0_SIZE];
static unsigned char first[3][1 << 20], next[3][1 << 20];

static void run(unsigned char to[3][1 << 20]) {{
    network_run(x, {arguments});
}}

int main(void) {{
    for (int k = 0; k < NETWORK_INPUT_0_SIZE; ++k)
        x[k] = ({type})(k % 97);
    network_threads(1);
    run(first);
    for (int turn = 0; turn < 60; ++turn) {{
        if (turn % 7 == 0)
            network_threads(1 + turn % 4);
        if (turn % 11 == 0)
            network_stop();
        if (turn % 10 == 0)
            usleep(1000);
        run(next);
        if (memcmp(first, next, sizeof first) != 0)
            return 2;
    }}
    {forked}
    return 0;
}}
"""
FORKED = """
    const pid_t child = fork();
    if (child == 0) {
        run(next);
        network_stop();
        exit(memcmp(first, next, sizeof first) != 0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (status != 0)
        return 3;
    run(next);
"""


def driven(text: CProgram, folder: Path, *, forked: bool) -> Path:
    """Write a network and a program that runs it with changing numbers of threads; return the latter's source."""
    write_program(text, folder)
    driver = folder / "driver.c"
    types = [line.split()[2] for line in text.header.splitlines() if "_TYPE " in line]
    arguments = ", ".join(f"({kind} *)to[{number}]" for number, kind in enumerate(types[1:]))
    driver.write_text(DRIVER.format(type=types[0], arguments=arguments, forked=FORKED if forked else ""))
    return driver


def test_threads_stop_start_and_are_not_inherited(tmp_path: Path) -> None:
    model, x = floats(np.random.default_rng(1))
    save(model, tmp_path / "net.onnx")
    text = program(tmp_path / "net.onnx", "native", 3, x)
    driver = driven(text, tmp_path, forked=True)
    sources = [tmp_path / "network.c", tmp_path / "weights.c", driver]
    built = compile_executable(sources, ["-std=gnu11", "-O1", "-pthread", "-Wall", "-Wextra", "-Werror"])
    check_runs(built)


@pytest.mark.nightly
@pytest.mark.parametrize("kind", NETWORKS)
def test_threads_have_no_races(kind: str, tmp_path: Path) -> None:
    model, x = NETWORKS[kind](np.random.default_rng(2))
    save(model, tmp_path / "net.onnx")
    driver = driven(program(tmp_path / "net.onnx", "native", 3, x), tmp_path, forked=False)
    sources = [tmp_path / "network.c", tmp_path / "weights.c", driver]
    built = compile_executable(sources, ["-std=gnu11", "-O1", "-g", "-pthread", "-fsanitize=thread"])
    check_runs(built)


def check_runs(executable: Path) -> None:
    done = finished([str(executable)])
    assert done.returncode == 0, done.stderr


def test_small_kernels_are_not_split(tmp_path: Path) -> None:
    model, _ = integers(np.random.default_rng(0))
    save(model, tmp_path / "net.onnx")
    compilation = compile_model(Model(tmp_path / "net.onnx", threads=3), "native")
    assert "fork-threads{threads=3}" in str(compilation.pipeline)
    assert compilation.program() == compile_model(Model(tmp_path / "net.onnx"), "native").program()


@pytest.mark.parametrize(
    ("target", "threads", "message"),
    [("host", 2, "target 'host' has no threads"), ("native", 0, "number of threads"), ("native", 257, "of threads")],
)
def test_threads_that_there_are_not(target: str, threads: int, message: str, tmp_path: Path) -> None:
    with pytest.raises(Diagnostic, match=message) as caught:
        compile_model(Model(tmp_path / "net.onnx", threads=threads), target)
    assert caught.value.expected
    assert caught.value.found
    assert caught.value.remedy
