"""
Decoders on a paged store beside the algorithm of llama2.c (github.com/karpathy/llama2.c), in float32, token by token.

That program rotates neighbours in a head where exporters of `transformers` rotate halves: its matrices of queries and
keys have their rows in another order.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tilewright.compiler import Model, compile_model
from tilewright.frontend.zoo._klm import KlmConfig, drawn
from tilewright.frontend.zoo.klm import build_open
from tilewright.ir import Array
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.paged.binding import BoundNetwork
from tilewright.runtime.paged.config import PoolConfig as StoreConfig
from tilewright.runtime.paged.native import NativePool
from tilewright.runtime.tools.session import Interpreted, level_for
from tilewright.test.small_models import save

CONTEXT = 24


class Llama2:
    """The forward pass of llama2.c: caches by layer and position, one token at a time, all in float32."""

    def __init__(self, config: KlmConfig, weights: dict[str, Array]):
        self.config, self.weights = config, weights
        self.caches = np.zeros((2, config.layers, CONTEXT, config.kv_heads, config.head), np.float32)

    def forward(self, token: int, position: int) -> Array:
        """Return the logits after a token at a position."""
        config, weights = self.config, self.weights
        x = weights["embedding"][token].copy()
        for layer in range(config.layers):
            at = f"layers.{layer}"
            normal = self.norm(x, weights[f"{at}.attention.norm"])
            queries, keys = (self.rotated(weights[f"{at}.attention.{part}"], normal, position) for part in "qk")
            values = (weights[f"{at}.attention.v"] @ normal).reshape(config.kv_heads, config.head)
            self.caches[:, layer, position] = keys, values
            attended = [self.attended(layer, head, query, position) for head, query in enumerate(queries)]
            x += weights[f"{at}.attention.o"] @ np.concatenate(attended)
            normal = self.norm(x, weights[f"{at}.mlp.norm"])
            gate = weights[f"{at}.mlp.gate"] @ normal
            gate *= 1 / (1 + np.exp(-gate))
            x += weights[f"{at}.mlp.down"] @ (gate * (weights[f"{at}.mlp.up"] @ normal))
        return weights["embedding"] @ self.norm(x, weights["norm"])

    def norm(self, x: Array, weight: Array) -> Array:
        return weight * (x / np.sqrt((x * x).mean(dtype=np.float32) + np.float32(self.config.epsilon)))

    def rotated(self, matrix: Array, normal: Array, position: int) -> Array:
        """Return the heads of a product, each pair of neighbours turned by its angle."""
        halves = matrix.reshape(-1, 2, self.config.head // 2, matrix.shape[1])
        neighbours = halves.transpose(0, 2, 1, 3).reshape(matrix.shape)
        pairs = (neighbours @ normal).reshape(-1, self.config.head // 2, 2)
        angles = np.float32(position) * self.config.frequencies()
        cosine, sine = np.cos(angles), np.sin(angles)
        turned = pairs[..., 0] * cosine - pairs[..., 1] * sine, pairs[..., 0] * sine + pairs[..., 1] * cosine
        return np.stack(turned, -1).reshape(-1, self.config.head)

    def attended(self, layer: int, head: int, query: Array, position: int) -> Array:
        keys, values = self.caches[:, layer, : position + 1, head // (self.config.heads // self.config.kv_heads)]
        scores = keys @ query / np.sqrt(np.float32(self.config.head))
        weights = np.exp(scores - scores.max())
        return (weights / weights.sum(dtype=np.float32)) @ values


@st.composite
def configs(draw: st.DrawFn) -> KlmConfig:
    kv_heads = draw(st.integers(1, 3))
    return KlmConfig(
        layers=draw(st.integers(1, 3)),
        dim=draw(st.integers(4, 24)),
        heads=kv_heads * draw(st.integers(1, 3)),
        kv_heads=kv_heads,
        head=8 * draw(st.integers(1, 2)),
        hidden=draw(st.integers(1, 30)),
        vocabulary=draw(st.integers(2, 40)),
        theta=draw(st.sampled_from([100.0, 10_000.0])),
    )


def check(config: KlmConfig, run: BoundNetwork | Interpreted) -> None:
    """Compare the logits of each step of a random sequence."""
    llama = Llama2(config, drawn(config, 5))
    for position, token in enumerate(np.random.default_rng(1).integers(config.vocabulary, size=CONTEXT)):
        (logits,) = run({"input_ids": np.array([[token]]), "position": np.array([position])}).values()
        expected = llama.forward(int(token), position)
        np.testing.assert_allclose(logits[0, 0], expected, rtol=0, atol=1e-5 * float(np.abs(expected).max()))


@settings(max_examples=8)
@given(config=configs(), page_length=st.integers(1, 7))
def test_pages_give_its_logits(config: KlmConfig, page_length: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("llama2") / "decoder.onnx"
    save(build_open(5, config=config), path)
    model = Model(path, context=CONTEXT, page_length=page_length)
    check(config, Interpreted(compile_model(model, "host", **level_for("interpreter")._asdict())))


def test_pages_in_c_give_its_logits(tmp_path: Path) -> None:
    config = KlmConfig(layers=3, dim=48, heads=6, kv_heads=2, head=16, hidden=64, vocabulary=50)
    path = tmp_path / "decoder.onnx"
    save(build_open(5, config=config), path)
    network = HostNetwork(compile_model(Model(path, context=CONTEXT, page_length=4), "host").program())
    pool = NativePool(StoreConfig.of_shape(network.pool_shape(), 1 << 22))
    check(config, BoundNetwork(network, pool, pool.create()))
