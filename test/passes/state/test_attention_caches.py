"""Caches that an operator of attention takes, as state, beside ONNX Runtime that is handed them step by step."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tilewright import cli
from tilewright.errors import Diagnostic
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import Session
from tilewright.runtime.tools.session import host_run
from tilewright.test.passes.state.attention_networks import Decoder, drawn
from tilewright.test.passes.state.decoder_steps import TOKENS, check_close, stepped, with_state
from tilewright.test.passes.state.stateful import lowered
from tilewright.test.small_models import save

KINDS = [
    Decoder("Attention", 4, 2, {"is_causal": 1}),
    Decoder("MultiHeadAttention", attributes={"unidirectional": 1}),
    Decoder("GroupQueryAttention", 4, 2, {"do_rotary": 1, "local_window_size": 3}),
]


def check(seeds: range) -> None:
    for seed in seeds:
        decoder, added = drawn(np.random.default_rng(seed))
        context, bucket = (9, 4 if seed % 2 else 0)
        session = Session(with_state(decoder.model(), context, bucket, added))
        tokens = TOKENS[: len(TOKENS) // added * added]
        found = stepped(session.run, decoder.model(), context, added, tokens)
        check_close(found, decoder.one_after_another(tokens, added))


def test_any_form() -> None:
    check(range(6))


@pytest.mark.nightly
def test_many_forms() -> None:
    check(range(100, 180))


@pytest.mark.parametrize("decoder", KINDS, ids=lambda decoder: decoder.kind)
def test_a_prompt_and_then_tokens_in_c(decoder: Decoder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save(decoder.model(), tmp_path / "decoder.onnx")
    options = ["--context", "9", "--prompt", "3,1,4,1,5", "--tokens", "4"]
    assert cli.main(["generate", str(tmp_path / "decoder.onnx"), *options]) == 0
    found = capsys.readouterr().out.splitlines()[0]
    tokens = [3, 1, 4, 1, 5]
    for _ in range(4):
        logits = decoder.one_after_another(tokens, 1)[-1]
        tokens.append(int(logits.reshape(-1).argmax()))
    assert found == ",".join(map(str, tokens[5:]))


@pytest.mark.parametrize("new", [1, 2])
@pytest.mark.parametrize("decoder", KINDS[:2], ids=lambda decoder: decoder.kind)
def test_caches_of_a_fixed_length(decoder: Decoder, new: int) -> None:
    """Rows are followed from the caches on."""
    fixed = Decoder(decoder.kind, decoder.heads, decoder.groups, decoder.attributes, past=4, new=new).model()
    found = stepped(Session(with_state(fixed, 9)).run, fixed, 9, new)
    check_close(found, decoder.one_after_another(TOKENS, new))


def test_positions_that_a_fixed_length_hides_are_refused() -> None:
    with pytest.raises(Diagnostic, match="counts positions in a cache of a fixed length"):
        with_state(Decoder("GroupQueryAttention", attributes={"do_rotary": 1}, past=4, new=1).model(), 9)


def test_c() -> None:
    decoder = KINDS[2]
    run = host_run(HostNetwork(render(lowered(with_state(decoder.model(), 9), ""))))
    check_close(stepped(run, decoder.model(), 9), decoder.one_after_another(TOKENS, 1))
