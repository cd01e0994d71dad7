"""A network with state gives, bit for bit, what the networks exported for each length of the past give."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from xdsl.dialects.memref import AllocOp

from tilewright.dialects.ml_program import GlobalStoreOp
from tilewright.errors import Diagnostic
from tilewright.frontend.importer import import_model
from tilewright.frontend.zoo import llama
from tilewright.passes import introduce_state as tested
from tilewright.passes.formats.c import render
from tilewright.passes.memory.views import bytes_of
from tilewright.runtime.driver.answers import compare
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.interpreter import Session, random_inputs, run_calls, run_module
from tilewright.runtime.tools.session import host_run
from tilewright.test.passes.state.stateful import NEAR, STRICT, check_equal, lowered, made_dirty, stepped, with_state
from tilewright.test.phases import each_phase
from tilewright.test.random.networks.attention import (
    LAYOUTS,
    REDUCTIONS,
    Attention,
    exported,
    inputs_of,
    one_after_another,
)

PHASES = ("types", "tensor", "fused", "buffers", "planned", "kernels", "loops", "emitc")
SMALL = llama.Config(layers=2, dim=16, heads=2, hidden=24, vocabulary=32, context=32)
LONG = llama.Config(layers=1, dim=16, heads=2, hidden=16, vocabulary=16, context=128)


@pytest.mark.sample(7)
@pytest.mark.parametrize("new", [1, 3])
@pytest.mark.parametrize(("layout", "reduction"), list(product(LAYOUTS, REDUCTIONS)))
def test_every_layout_and_reduction(layout: str, reduction: str, new: int) -> None:
    spec = Attention(layout, batch=2, new=new, reduction=reduction, masked=True, offset=5)
    steps = inputs_of(spec, 3)
    run = made_dirty(spec, Session(with_state(exported(spec, 5), 11)).run, 11)
    check_equal(stepped(spec, run, steps, 11), one_after_another(spec, steps))


@pytest.mark.sample(2)
@settings(max_examples=4, deadline=None, derandomize=True)
@given(
    layout=st.sampled_from(list(LAYOUTS)),
    reduction=st.sampled_from(REDUCTIONS),
    heads=st.integers(1, 3),
    head=st.integers(1, 5),
    new=st.integers(1, 3),
    masked=st.booleans(),
    offset=st.integers(-3, 3),
    past=st.integers(2, 9),
    spare=st.integers(0, 4),
)
def test_random_networks_at_every_level(past: int, spare: int, **sizes: Any) -> None:
    spec = Attention(**sizes)
    steps = inputs_of(spec, 3)
    context = 3 * spec.new + spare
    expected = one_after_another(spec, steps)
    for _, module in each_phase(with_state(exported(spec, past), context), PHASES, verify_each=False):
        session = Session(module)
        check_equal(stepped(spec, made_dirty(spec, session.run, context), steps, context), expected)


@pytest.mark.parametrize("reduction", ["MatMul", "ReduceSum", "ReduceMax"])
def test_floats_at_every_level(reduction: str) -> None:
    """Sums of few small integers, which are exact in floats in any order; rows that are not written hold infinities."""
    spec = Attention("bshd", heads=2, head=3, new=2, reduction=reduction, floats=True)
    steps = inputs_of(spec, 3)
    expected = one_after_another(spec, steps)
    for _, module in each_phase(with_state(exported(spec, 4), 8), PHASES, verify_each=False):
        session = Session(module)
        dirt = {"x": np.full_like(steps[0]["x"], np.inf)}
        for position in (0, 2, 4, 6):
            session.run({**dirt, "position": np.array([position])})
        check_equal(stepped(spec, session.run, steps, 8), expected)


@pytest.mark.sample(1)
@pytest.mark.parametrize("machine", ["host", NEAR])
@pytest.mark.parametrize("new", [1, 4])
def test_c_of_a_network_with_state(machine: str, new: int) -> None:
    spec = Attention(new=new, heads=4, head=8, masked=True)
    steps = inputs_of(spec, 4)
    program = render(lowered(with_state(exported(spec, 3), 17), "", machine))
    for sanitize in (False, True):
        run = made_dirty(spec, host_run(HostNetwork(program, sanitize=sanitize, flags=STRICT)), 17)
        check_equal(stepped(spec, run, steps, 17), one_after_another(spec, steps))


def tokens_of(config: llama.Config, count: int) -> Any:
    return np.random.RandomState(3).randint(config.vocabulary, size=count)


@cache
def chain(config: llama.Config, count: int) -> list[Any]:
    """Return the scores of each step of a Llama, each by the network exported for its past."""
    tokens, empty = tokens_of(config, count), np.zeros((1, config.heads, 0, config.head), np.float32)
    caches = {f"past_{name}_{i}": empty for i in range(config.layers) for name in ("key", "value")}
    found: list[Any] = []
    for past in range(count):
        # A step needs one cached token; the first token is a prompt of one.
        model = llama.step(past, config=config) if past else llama.prefill(1, config=config)
        inputs = {"token": tokens[None, past : past + 1], "position": np.array([past]), **caches}
        results = run_module(import_model(model), inputs)
        found.append(results.pop("logits"))
        caches = {name.replace("present", "past"): value for name, value in results.items()}
    return found


@cache
def at_once(config: llama.Config, count: int) -> list[Any]:
    """Return the scores of each step of a Llama, by the network exported for a prompt of all of them."""
    model = llama.prefill(count, config=config)
    empty = np.zeros((1, config.heads, 0, config.head), np.float32)
    caches = {f"past_{name}_{i}": empty for i in range(config.layers) for name in ("key", "value")}
    inputs = {"token": tokens_of(config, count)[None], "position": np.array([0]), **caches}
    scores = run_module(import_model(model), inputs)["logits"]
    return [scores[:, step : step + 1] for step in range(count)]


def llama_steps(run: Any, tokens: Any) -> list[Any]:
    return [run({"token": tokens[None, i : i + 1], "position": np.array([i])})["logits"] for i in range(len(tokens))]


@pytest.mark.sample(1)
@pytest.mark.parametrize("phase", ["types", "kernels"])
def test_sixteen_steps_of_a_llama(phase: str) -> None:
    session = Session(lowered(with_state(llama.step(5, config=SMALL), 16), phase))
    check_equal(llama_steps(session.run, tokens_of(SMALL, 16)), chain(SMALL, 16))


@pytest.mark.nightly
@pytest.mark.parametrize(("machine", "bucket"), [("host", 50), (NEAR, 0)])
def test_a_whole_context_of_a_llama(machine: str, bucket: int) -> None:
    tokens = tokens_of(LONG, 128)
    run = host_run(HostNetwork(render(lowered(with_state(llama.step(9, config=LONG), 128, bucket), "", machine))))
    check_equal(llama_steps(run, tokens), at_once(LONG, 128))
    session = Session(lowered(with_state(llama.step(9, config=LONG), 128, bucket), "planned", machine))
    check_equal(llama_steps(session.run, tokens), at_once(LONG, 128))


def test_a_prompt_at_once_is_as_many_steps() -> None:
    tokens = tokens_of(SMALL, 16)
    session = Session(with_state(llama.prefill(4, config=SMALL), 16))
    parts = [session.run({"token": tokens[None, i : i + 4], "position": np.array([i])}) for i in (0, 4, 8, 12)]
    found = np.concatenate([part["logits"] for part in parts], axis=1)[0]
    check_equal(list(found), [scores[0, 0] for scores in chain(SMALL, 16)])


@pytest.mark.quick
def test_going_back_writes_rows_anew() -> None:
    spec = Attention()
    steps = inputs_of(spec, 5)
    session = Session(with_state(exported(spec, 2), 8))
    first = stepped(spec, session.run, steps, 8)
    check_equal(stepped(spec, session.run, steps, 8), first)
    session.reset()
    check_equal(stepped(spec, session.run, steps, 8), first)


def test_rows_that_are_not_written_count_without_the_masks(monkeypatch: pytest.MonkeyPatch) -> None:
    """The comparison above sees what it is there for: without the masks the answers differ."""

    def nothing(growth: object, position: object) -> None:
        pass

    monkeypatch.setattr(tested, "neutralise", nothing)
    for reduction in REDUCTIONS:
        spec = Attention(reduction=reduction, heads=4, masked=True)
        steps = inputs_of(spec, 3)
        found = stepped(spec, Session(with_state(exported(spec, 2), 9)).run, steps, 9)
        assert any((a != b).any() for a, b in zip(found, one_after_another(spec, steps), strict=True)), reduction


def test_caches_are_read_where_they_lie() -> None:
    """No step copies a cache: a row more takes a byte in the mask, and one for the score of each head."""
    spec, sizes = Attention(heads=2, head=16), dict[int, int]()
    for context in (64, 128):
        module = lowered(with_state(exported(spec, 5), context), "buffers")
        buffers = [op for op in module.walk() if isinstance(op, AllocOp)]
        sizes[context] = sum(bytes_of(op.memref.type) for op in buffers)
    assert sizes[128] - sizes[64] == 64 * (1 + spec.heads)


def test_interpret_each_calls_several_times() -> None:
    """A pass that forgets to store is found, though the first call is right."""
    module = with_state(exported(Attention(), 2), 8)
    inputs = random_inputs(module, seed=0)
    expected = run_calls(module, inputs)
    assert sorted(expected) == ["y", "y@1", "y@2"]
    lowered(module, "tensor")
    assert compare(expected, run_calls(module, inputs)) is None
    for op in [op for op in module.walk() if isinstance(op, GlobalStoreOp)]:
        op.detach()
        op.erase()
    difference = compare(expected, run_calls(module, inputs))
    assert difference is not None
    assert "'y@1'" in difference.message


# The position


@pytest.mark.parametrize(
    ("positions", "message"),
    [
        ([0, 2], "out of order"),
        ([1], "out of order"),
        ([0, 1, 2, 3, 4], "longer than the state"),
        ([-1], "negative"),
    ],
)
@pytest.mark.parametrize("phase", ["types", "buffers"])
def test_wrong_positions_are_refused(positions: list[int], message: str, phase: str) -> None:
    spec = Attention()
    session = Session(lowered(with_state(exported(spec, 2), 4), phase))
    rows = inputs_of(spec, 1)[0]
    for position in positions[:-1]:
        session.run({**rows, "position": np.array([position])})
    with pytest.raises(Diagnostic, match=message):
        session.run({**rows, "position": np.array(positions[-1:])})


@pytest.mark.parametrize("sanitize", [False, True])
def test_c_refuses_wrong_positions(sanitize: bool) -> None:
    spec = Attention()
    program = render(lowered(with_state(exported(spec, 2), 3), ""))
    run = host_run(HostNetwork(program, sanitize=sanitize, flags=STRICT))
    rows = inputs_of(spec, 1)[0]
    expected = run({**rows, "position": np.array([0])})["y"]
    for position, status in ((2, 2), (3, 1), (-1, 1), (2**31 - 1, 1)):
        with pytest.raises(Diagnostic, match="refuses") as caught:
            run({**rows, "position": np.array([position])})
        assert f"the status {status} at position {position}" in str(caught.value)
    np.testing.assert_array_equal(run({**rows, "position": np.array([0])})["y"], expected)
    other = host_run(HostNetwork(program, sanitize=sanitize, flags=STRICT))
    with pytest.raises(Diagnostic, match="the status 2"):
        other({**rows, "position": np.array([1])})
    run.reset()
    with pytest.raises(Diagnostic, match="the status 2"):
        run({**rows, "position": np.array([1])})
