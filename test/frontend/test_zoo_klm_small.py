"""
The trained language model of the zoo: its bits for each byte of a text that it was not trained on, and its words.

`klm_held_out.txt` holds two chapters of the King James Bible that the training held out (Ecclesiastes 6, Zechariah 2;
their text is in the public domain), and two documents that were written for this test. The chapters are of a book of
which others were trained on, so that they are easier than what people write today.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilewright.files import read_text
from tilewright.frontend import zoo
from tilewright.frontend.importer import import_model
from tilewright.frontend.zoo import klm_small
from tilewright.frontend.zoo._klm import DOCUMENT, SMALL
from tilewright.ir import Array
from tilewright.runtime.interpreter import run_module
from tilewright.test import onnx_runtime

TEXT = Path(__file__).with_name("klm_held_out.txt")
BITS = 1.430
"""Bits for each byte of that text, measured with the weights that the package holds; 2.4 was the aim."""


@cache
def session() -> Any:
    return onnx_runtime.session(klm_small.build_open())


def inputs_of(tokens: list[int]) -> dict[str, Any]:
    """Return the inputs of a text at once, without cached rows."""
    row = np.array([tokens])
    cache = np.zeros((1, SMALL.kv_heads, 0, SMALL.head), np.float32)
    names = [f"past_key_values.{layer}.{part}" for layer in range(SMALL.layers) for part in ("key", "value")]
    return {"input_ids": row, "position_ids": np.arange(row.shape[1])[None], **dict.fromkeys(names, cache)}


def costs(text: str) -> Array:
    """Return the bits of each byte of a document, each after those before it."""
    tokens = [DOCUMENT, *text.encode()]
    logits = session().run(["logits"], inputs_of(tokens[:-1]))[0][0].astype(np.float64)
    logits -= logits.max(axis=1, keepdims=True)
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    return -np.log2(shares[np.arange(len(tokens) - 1), tokens[1:]])


def written(prompt: str, count: int) -> str:
    """Return what the model adds to the start of a document, each byte the likeliest one."""
    tokens = [DOCUMENT, *prompt.encode()]
    for _ in range(count):
        logits = session().run(["logits"], inputs_of(tokens))[0]
        tokens.append(int(np.argmax(logits[0, -1])))
    return bytes(tokens[1 + len(prompt.encode()) :]).decode()


def test_a_text_that_was_held_out_takes_few_bits() -> None:
    documents = [text.strip("\n") for text in read_text(str(TEXT)).split("%\n")]
    assert len(documents) == 4
    found = [costs(text) for text in documents]
    assert np.concatenate(found).mean() == pytest.approx(BITS, abs=0.002)
    assert all(values.mean() < 1.8 for values in found)


def test_more_of_a_text_is_easier() -> None:
    """What was read before counts, as far back as two hundred bytes."""
    text = read_text(str(TEXT)).split("%\n")[0]
    whole = costs(text)[400:800].mean()
    pieces = np.concatenate([costs(text[at - 10 : at + 40])[10:] for at in range(400, 800, 40)]).mean()
    assert whole < pieces - 0.1


def test_letters_in_disorder_are_harder() -> None:
    text = read_text(str(TEXT)).split("%\n")[2]
    letters = np.random.RandomState(0).permutation(list(text))
    assert costs("".join(letters)).mean() > costs(text).mean() + 1


def test_words_go_on() -> None:
    assert written("And the LORD sa", 10).startswith("id unto ")
    assert written("The children of Isr", 4) == "ael "


def test_the_interpreter_agrees() -> None:
    tokens = [DOCUMENT, *b"How do you"]
    model = klm_small.build(tokens=len(tokens), past=0)
    expected = session().run(["logits"], inputs_of(tokens))[0]
    found = run_module(import_model(model), inputs_of(tokens))["logits"]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-4)


def test_it_describes_itself_and_is_small() -> None:
    model = zoo.build("klm-small", 7)
    assert model.doc_string == zoo.summary("klm-small")
    assert zoo.cost(model).parameters == 1_839_168
    assert model.SerializeToString() == zoo.build("klm-small").SerializeToString()
    assert Path(klm_small.__file__).with_suffix(".npz").stat().st_size <= 2_000_000
