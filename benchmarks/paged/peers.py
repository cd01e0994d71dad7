"""llama.cpp on the weights of a Llama decoder of the zoo: its GGUF file, and the time and tokens of its decoding."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tilewright.frontend.zoo.klm import KlmConfig
from tilewright.ir import Array
from tilewright.test.exits import peer_module

_MATRICES = {
    "attn_q": "attention.q",
    "attn_k": "attention.k",
    "attn_v": "attention.v",
    "attn_output": "attention.o",
    "ffn_gate": "mlp.gate",
    "ffn_up": "mlp.up",
    "ffn_down": "mlp.down",
}
"""Tensor of a GGUF file -> weight of the zoo."""
_NORMS = {"attn_norm": "attention.norm", "ffn_norm": "mlp.norm"}


@dataclass(frozen=True)
class Decoding:
    """Tokens that follow a prompt, and the milliseconds of each and of a token of the prompt."""

    tokens: list[int]
    milliseconds: float
    prompt_milliseconds: float


def write_gguf(config: KlmConfig, weights: Mapping[str, Array], path: Path, context: int) -> None:
    """Write a decoder's weights in float32, with tokens that are their numbers."""
    gguf = peer_module("gguf")
    writer = gguf.GGUFWriter(str(path), "llama")
    writer.add_context_length(context)
    writer.add_embedding_length(config.dim)
    writer.add_block_count(config.layers)
    writer.add_feed_forward_length(config.hidden)
    writer.add_head_count(config.heads)
    writer.add_head_count_kv(config.kv_heads)
    writer.add_key_length(config.head)
    writer.add_value_length(config.head)
    writer.add_layer_norm_rms_eps(config.epsilon)
    writer.add_rope_dimension_count(config.head)
    writer.add_rope_freq_base(config.theta)
    writer.add_vocab_size(config.vocabulary)
    writer.add_file_type(0)
    writer.add_tokenizer_model("llama")
    writer.add_token_list([f"<{number}>".encode() for number in range(config.vocabulary)])
    writer.add_token_scores([0.0] * config.vocabulary)
    writer.add_token_types([4] * config.vocabulary)  # user-defined: none of them ends a text
    writer.add_bos_token_id(0)
    writer.add_eos_token_id(0)
    writer.add_add_bos_token(False)
    writer.add_tensor("token_embd.weight", weights["embedding"])
    writer.add_tensor("output_norm.weight", weights["norm"])
    for layer in range(config.layers):
        for name, own in (_NORMS | _MATRICES).items():
            array = weights[f"layers.{layer}.{own}"]
            heads = {"attn_q": config.heads, "attn_k": config.kv_heads}.get(name)
            writer.add_tensor(f"blk.{layer}.{name}.weight", array if heads is None else _interleaved(array, heads))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _interleaved(matrix: Array, heads: int) -> Array:
    """Return a projection whose rotated pairs are neighbours, as llama.cpp has them, instead of half a head apart."""
    rows, columns = matrix.shape
    halves = matrix.reshape(heads, 2, rows // heads // 2, columns)
    return np.ascontiguousarray(halves.swapaxes(1, 2).reshape(rows, columns))


class LlamaCpp:
    """Server of llama.cpp in this process, on one thread."""

    def __init__(self, path: Path, context: int):
        xllamacpp = peer_module("xllamacpp")
        parameters: Any = xllamacpp.CommonParams()
        parameters.model.path = str(path)
        parameters.n_ctx = context
        parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
        parameters.n_gpu_layers = 0
        parameters.n_parallel = 1
        parameters.warmup = False
        self._server: Any = xllamacpp.Server(parameters)

    def decode(self, prompt: Sequence[int], count: int) -> Decoding:
        """Return the tokens that follow a prompt, greedily."""
        request = {
            "prompt": list(prompt),
            "n_predict": count,
            "ignore_eos": True,
            "temperature": 0,
            "top_k": 1,
            "cache_prompt": False,
        }
        returned: Any = self._server.handle_completions(request)
        answer: Any = json.loads(returned) if isinstance(returned, str) else returned
        timings: Any = answer["timings"]
        tokens = [int(number) for number in re.findall(r"<(\d+)>", answer["choices"][0]["text"])]
        return Decoding(tokens, timings["predicted_per_token_ms"], timings["prompt_per_token_ms"])
