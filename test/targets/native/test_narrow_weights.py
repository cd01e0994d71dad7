"""Weights of bf16 and int8 on `native` and `host`: the bits of the network with the same numbers in f32 as weights."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from onnx import ModelProto

from tilewright.compiler import Model, compile_model, machine_named
from tilewright.frontend.quantize.weights_only import TYPES, store_weights
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import run_module
from tilewright.runtime.toolchain import STRICT
from tilewright.test.frontend.quantize.narrow_networks import Sizes, network, widened
from tilewright.test.phases import each_phase

WAYS = {"plain": (), "avx2": ("-mavx2", "-mfma"), "native": ("-march=native",)}
"""Ways to compile the tiles: loops, vectors of 8 floats, the widest vectors of this machine."""


def saved(model: ModelProto, path: Path) -> Path:
    onnx.save(model, path)  # pyright: ignore[reportUnknownMemberType]
    return path


def both(sizes: Sizes, seed: int, type: str, folder: Path) -> tuple[Path, Path, Array]:
    """Return a network of narrow weights, that of the same numbers in f32, and rows to look up."""
    narrow, _ = store_weights(network(sizes, seed), None, type)
    ids = np.random.default_rng(seed).integers(0, sizes.rows, sizes.count)
    return saved(narrow, folder / "narrow.onnx"), saved(widened(narrow), folder / "wide.onnx"), ids


def check(sizes: Sizes, seed: int, type: str, folder: Path, targets: dict[str, tuple[str, ...]]) -> None:
    *paths, ids = both(sizes, seed, type, folder)
    for target, ways in targets.items():
        programs = [compile_model(Model(path), target).program() for path in paths]
        assert programs[0].weights_bytes < 0.7 * programs[1].weights_bytes
        for way in ways:
            networks = [HostNetwork(program, flags=(*STRICT, "-O1", *WAYS[way])) for program in programs]
            for _ in range(2):
                found, expected = (each.run([ids])[0] for each in networks)
                np.testing.assert_array_equal(found, expected, f"{target} {way}")


@pytest.mark.sample(2)
@settings(max_examples=24, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    sizes=st.builds(
        Sizes,
        rows=st.integers(17, 90),
        features=st.integers(17, 70),
        hidden=st.integers(17, 150),
        count=st.integers(1, 20),
        taps=st.sampled_from([1, 3]),
    ),
    seed=st.integers(0, 1000),
    type=st.sampled_from(TYPES),
)
def test_random_shapes(sizes: Sizes, seed: int, type: str, tmp_path: Path) -> None:
    check(sizes, seed, type, tmp_path, {"native": ("native",), "host": ("plain",)})


@pytest.mark.parametrize("type", TYPES)
def test_loops_and_narrower_vectors(type: str, tmp_path: Path) -> None:
    check(Sizes(rows=20, features=19, hidden=35, count=7), 1, type, tmp_path, {"native": ("plain", "avx2")})


@pytest.mark.sample(1)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("type", TYPES)
def test_c_is_clean_and_right_twice(type: str, way: str, tmp_path: Path) -> None:
    narrow, _, ids = both(Sizes(rows=20, features=19, hidden=35, count=7), 1, type, tmp_path)
    program = compile_model(Model(narrow), "native").program()
    network = HostNetwork(program, flags=(*STRICT, "-O1", *WAYS[way]), sanitize=True)
    expected = run_module(Model(narrow).load(), {"ids": ids})["y"]
    for _ in range(2):
        np.testing.assert_allclose(network.run([ids])[0], expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("target", ["host", "native"])
@pytest.mark.parametrize("type", TYPES)
def test_every_phase(type: str, target: str, tmp_path: Path) -> None:
    narrow, wide, ids = both(Sizes(rows=20, features=17, hidden=33, count=3), 2, type, tmp_path)
    names = [phase.name for phase in machine_named(target).phases if phase.name != "types"]
    levels = [each_phase(Model(path).load(), names, target, verify_each=False) for path in (narrow, wide)]
    for (phase, module), (_, other) in zip(*levels, strict=True):
        results = [run_module(program, {"ids": ids})["y"] for program in (module, other)]
        np.testing.assert_array_equal(results[0], results[1], phase)


@pytest.mark.parametrize(("type", "function"), [("bf16", "tw_bf16_dot_tile"), ("int8", "tw_byte_dot_tile")])
def test_products_are_tiles(type: str, function: str, tmp_path: Path) -> None:
    narrow, _, _ = both(Sizes(rows=20, features=17, hidden=33, count=3), 2, type, tmp_path)
    source = compile_model(Model(narrow), "native").program().source
    assert source.count(f"{function}(") >= 4
    assert "tw_float_dot_tile(" not in source
