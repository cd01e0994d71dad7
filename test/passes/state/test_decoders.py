"""Decoders of an open length, as PyTorch's exporters write them, give with state what they give for each length."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import numpy as np
import pytest
from onnx import TensorProto, helper

from tilewright import cli
from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.ports import ROWS
from tilewright.errors import Diagnostic
from tilewright.frontend import pasts
from tilewright.frontend.importer import import_model
from tilewright.ir import Array, functions
from tilewright.passes.formats.c import render
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import Session
from tilewright.runtime.tools.generate import generate, module_language
from tilewright.runtime.tools.session import host_run, runner
from tilewright.test.passes.state.decoder_steps import TOKENS, check_close, stepped, with_state
from tilewright.test.passes.state.stateful import lowered
from tilewright.test.random.networks.decoders import FORMS, Sizes, decoder, one_after_another

ROTATED = [form for form, (_, _, positions) in FORMS.items() if positions in ("inside", "stated")]


@cache
def wanted(form: str, added: int = 1, extra: str = "", sizes: Sizes = Sizes()) -> list[Array]:
    """Return the answers of each length; all forms with rotations are one function, and all others."""
    form = "dynamo-inside" if form in ROTATED else "torchscript-learned"
    return one_after_another(form, TOKENS, added, extra, sizes)


# Every form


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("form", "context", "bucket", "added"),
    [
        *((form, 9, 4, 1) for form in FORMS),
        ("dynamo-stated", 9, 3, 2),
        ("torchscript-learned", 9, 3, 2),
        ("torchscript-inside", 2, 0, 2),
    ],
)
def test_every_form(form: str, context: int, bucket: int, added: int) -> None:
    sizes = Sizes.drawn(Random(f"{form} {context} {added}"))
    model = decoder(form, sizes=sizes)
    tokens = TOKENS[: min(context, len(TOKENS))]
    session = Session(with_state(model, context, bucket, added))
    check_close(stepped(session.run, model, context, added, tokens), wanted(form, added, sizes=sizes))


def test_c() -> None:
    model = decoder("torchscript-stated")
    run = host_run(HostNetwork(render(lowered(with_state(model, 10), ""))))
    check_close(stepped(run, model, 10), wanted("torchscript-stated"))


def test_the_importer_says_which_axes_have_the_rows() -> None:
    """Nothing is left of what it says, and without a context it says nothing."""
    model = decoder("dynamo-stated")
    assert ROWS in str(import_model(model, rows=9))
    assert ROWS not in str(with_state(model, 9))
    shapes = {"tokens": [1, 1], "past_k": [1, 1, 5, 4], "past_v": [1, 1, 5, 4], "position_ids": [1, 1]}
    assert ROWS not in str(import_model(model, input_shapes={**shapes, "attention_mask": [1, 6]}))


def test_constants_that_follow_from_the_length_count(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above sees what it is there for: with the constants of one length the answers differ."""

    def always(past: object, name: str, array: object) -> bool:
        return True

    monkeypatch.setattr(pasts.Past, "folds", always)
    model = decoder("dynamo-inside")
    found = stepped(Session(with_state(model, 11)).run, model, 11)
    assert np.abs(np.stack(found) - np.stack(wanted("dynamo-inside"))).max() > 0.1


# Fixed lengths


WINDOW = """
    first_seen = Sub(queries, two)
    near = Greater(keys_at, first_seen)
    near_given = And(near, picked)
    as_floats = Cast<to = 1>(near_given)
    shift = ReduceSum<keepdims = 0>(as_floats)
"""
"""A count of the rows in a window behind each new one."""


@pytest.mark.parametrize(
    ("form", "new", "bucket"), [("dynamo-stated", 1, 0), ("torchscript-stated", 2, 0), ("dynamo-stated", 3, 4)]
)
def test_a_fixed_length_with_its_positions(form: str, new: int, bucket: int) -> None:
    """Grouped heads are repeated by Expand, the mask is looked up at the number of each row, and causal masks shift."""
    model = decoder(form, past="7", new=str(new))
    check_close(stepped(Session(with_state(model, 9, bucket)).run, model, 9, new), wanted(form, new))


@pytest.mark.parametrize(
    ("form", "new", "extra", "message"),
    [
        ("dynamo-inside", "1", "", "exported for one fixed position"),
        ("torchscript-learned", "1", "", "exported for one fixed position"),
        ("dynamo-stated", "3", WINDOW, "a value of its own for each cached row"),
    ],
)
def test_a_fixed_length_that_hides_its_positions(form: str, new: str, extra: str, message: str) -> None:
    with pytest.raises(Diagnostic, match=message) as caught:
        with_state(decoder(form, past="7", new=new, extra=extra), 11)
    assert "dynamic axes" in str(caught.value)


# What else follows from the length


SUM = """
    as_floats = Cast<to = 1>(columns)
    shift = ReduceSum<keepdims = 0>(as_floats)
"""
LAST = """
    last_columns = Slice(columns, last, most, axis_0)
    as_floats = Cast<to = 1>(last_columns)
    shift = Sqrt(as_floats)
"""
HALF = """
    half = Div(past, two)
    shift = Cast<to = 1>(half)
"""


@pytest.mark.parametrize("extra", [SUM, LAST, HALF])
def test_any_value_that_follows_from_the_length(extra: str) -> None:
    model = decoder("dynamo-inside", extra=extra)
    found = stepped(Session(with_state(model, 9, 4)).run, model, 9)
    check_close(found, wanted("dynamo-inside", extra=extra))


@pytest.mark.parametrize(
    ("form", "extra", "message"),
    [
        (
            "dynamo-inside",
            """
            twice = Mul(total_shape, two_d)
            made = ConstantOfShape<value = float[1] {1.0}>(twice)
            shift = ReduceSum<keepdims = 0>(made)
            """,
            "the shape of a tensor depends on the number of cached rows",
        ),
        (
            "dynamo-inside",
            """
            as_floats = Cast<to = 1>(columns)
            shift = ReduceMean<keepdims = 0>(as_floats)
            """,
            "ReduceMean of a varying number of values",
        ),
        (
            "dynamo-inside",
            """
            only_past = Range(zero, past, one)
            as_floats = Cast<to = 1>(only_past)
            shift = ReduceSum<keepdims = 0>(as_floats)
            """,
            "an entry for some of the rows of a cache only",
        ),
        (
            "dynamo-stated",
            """
            last_given = Slice(attention_mask, last, most, axis_1)
            shift = Cast<to = 1>(last_given)
            """,
            "cannot be followed through Slice",
        ),
        (
            "dynamo-stated",
            """
            pads = Concat<axis = 0>(axis_0, past_shape)
            flat_tokens = Reshape(tokens, last)
            padded = Pad(flat_tokens, pads)
            as_floats = Cast<to = 1>(padded)
            shift = ReduceSum<keepdims = 0>(as_floats)
            """,
            "Pad depends on the number of cached rows",
        ),
        (
            "dynamo-inside",
            """
            is_first = Equal(past, zero)
            shift = If(is_first) <
                then_branch = a () => (float y) { y = Identity(nothing) },
                else_branch = b () => (float z) { z = Identity(lowest) }
            >
            """,
            "a branch or a loop",
        ),
    ],
)
def test_refusals(form: str, extra: str, message: str) -> None:
    with pytest.raises(Diagnostic, match=message):
        with_state(decoder(form, extra=extra), 9)


def test_an_output_that_is_no_more_than_the_length() -> None:
    model = decoder("dynamo-inside")
    model.graph.output.append(helper.make_tensor_value_info("total", TensorProto.INT64, []))
    with pytest.raises(Diagnostic, match="an output follows from the number of cached rows"):
        with_state(model, 9)


@pytest.mark.parametrize(
    ("form", "message"),
    [("torchscript-learned", "longer than a table of 32 positions"), ("dynamo-table", "the caches have 32 rows here")],
)
def test_a_table_has_a_row_for_each_position(form: str, message: str) -> None:
    with_state(decoder(form), 32)
    with pytest.raises(Diagnostic) as caught:
        with_state(decoder(form), 33)
    assert message in str(caught.value)


# Commands


@pytest.mark.sample(1)
@pytest.mark.parametrize("form", ["dynamo-stated", "torchscript-learned"])
def test_a_prompt_of_any_number_of_tokens(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "decoder.onnx"
    path.write_bytes(decoder(form).SerializeToString())
    models = Model(path, context=10, prefill=4, bucket=4), Model(path, context=10)
    both, alone = (compile_model(model, "host", stop_after="types") for model in models)
    assert [each.sym_name.data for each in functions(both.module)] == [
        "network",
        "network_4",
        "network_8",
        "network_prefill",
        "network_prefill_4",
        "network_prefill_8",
    ]
    found = generate(runner(both, "interpreter"), module_language(both.module), TOKENS, 4)
    assert found == generate(runner(alone, "interpreter"), module_language(alone.module), TOKENS, 4)
    assert found[0] == np.argmax(wanted(form)[-1])
    words = ["--prompt", ",".join(map(str, TOKENS)), "--tokens", "4", "--on", "interpreter", "--prefill", "3"]
    assert cli.main(["generate", str(path), *words]) == 0
    assert capsys.readouterr().out.strip() == ",".join(map(str, found))


def test_another_number_of_new_rows_needs_an_open_length(tmp_path: Path) -> None:
    path = tmp_path / "decoder.onnx"
    path.write_bytes(decoder("dynamo-stated", past="7", new="1").SerializeToString())
    with pytest.raises(Diagnostic, match="does not take another number of new rows"):
        Model(path, context=10, prefill=4).load()
