"""Caches that an operator of attention takes, in a paged store: the logits of ONNX Runtime, or a refusal."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.ir import Array, functions
from tilewright.passes.introduce_paged_state import introduce_paged_state
from tilewright.runtime.interpreter import Session
from tilewright.test.passes.state.attention_networks import Decoder, drawn
from tilewright.test.passes.state.decoder_steps import TOKENS, check_close, stepped

CONTEXT = 9


def session_of(decoder: Decoder, added: int) -> Session:
    module = import_model(decoder.model(), rows=CONTEXT, added=added)
    introduce_paged_state(module, functions(module)[0], CONTEXT, 4)
    return Session(module)


def paged_or_none(decoder: Decoder, added: int) -> Session | None:
    """Return a paged decoder, None where its attention is refused for what pages cannot compute."""
    try:
        return session_of(decoder, added)
    except Diagnostic as refusal:
        if refusal.message != "a layer's attention cannot be paged":
            raise
        return None


def check(seeds: range) -> int:
    """Compare the decoders that can be paged; return how many they are."""
    paged = 0
    for seed in seeds:
        decoder, added = drawn(np.random.default_rng(seed))
        session = paged_or_none(decoder, added)
        if session is None:
            continue
        assert not decoder.attributes.keys() & {"softcap", "local_window_size"}, seed
        tokens = TOKENS[: len(TOKENS) // added * added]
        logits = stepped(partial(run, session), decoder.model(), CONTEXT, added, tokens)
        check_close(logits, decoder.one_after_another(tokens, added))
        paged += 1
    return paged


def run(session: Session, call: dict[str, Array]) -> dict[str, Array]:
    """Run a step; its mask of ones is no input of a paged decoder."""
    return session.run({name: array for name, array in call.items() if name != "attention_mask"})


def test_any_form() -> None:
    assert check(range(24)) >= 8


@pytest.mark.nightly
def test_many_forms() -> None:
    assert check(range(100, 300)) > 70


@pytest.mark.parametrize("attributes", [{"is_causal": 1, "softcap": 1.5}, {"is_causal": 0}], ids=["softcap", "no mask"])
def test_what_pages_cannot_compute(attributes: dict[str, float]) -> None:
    with pytest.raises(Diagnostic, match="a layer's attention cannot be paged"):
        session_of(Decoder("Attention", attributes=attributes), 2)
