"""
A language model of TinyStories size, in integers: a step after 8 cached tokens.

Inputs token [1, 1], position [1] (the number of cached tokens) and for each layer the cached keys and values
[1, heads, cached, head]; outputs the int32 scores of the vocabulary and the caches with a row more. Weights are random:
the model measures latency, memory and correctness, it tells no stories.
"""

from __future__ import annotations

import onnx

from ...errors import Diagnostic
from ._llama import Config, calibrated
from ._llama_onnx import write

_SUMMARY = (__doc__ or "").strip().partition("\n")[0]


def build(seed: int = 0) -> onnx.ModelProto:
    """Return the network for one token after 8 cached ones."""
    return step(8, seed=seed)


def step(past: int, *, seed: int = 0, config: Config = Config()) -> onnx.ModelProto:
    """Return the network for one token after `past` cached ones, of which there must be one at least."""
    if past < 1:
        raise Diagnostic("a step has no cached tokens", expected="one at least", found=str(past), remedy="use prefill")
    _check(past + 1, config)
    return write("llama", _SUMMARY, calibrated(config, seed), past, 1)


def prefill(new: int, *, past: int = 0, seed: int = 0, config: Config = Config()) -> onnx.ModelProto:
    """
    Return the network for `new` tokens at once after `past` cached ones; weights are those of `step` of that seed.

    Each token sees those before it and itself, so that the scores are those of as many steps.
    """
    if new < 1 or past < 0:
        raise Diagnostic("a prompt has no tokens", expected="one at least", found=str(new))
    _check(past + new, config)
    return write("llama", _SUMMARY, calibrated(config, seed), past, new)


def _check(rows: int, config: Config) -> None:
    if rows > config.context:
        raise Diagnostic(
            f"{rows} tokens are more than the network has positions for", expected=f"{config.context} at most"
        )


__all__ = ["Config", "build", "prefill", "step"]
