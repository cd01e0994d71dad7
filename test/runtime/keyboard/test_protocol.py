"""The keyboard protocol: frames of Python and C, requests, predictions, resent requests, failures."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilewright.errors import Diagnostic
from tilewright.runtime.keyboard.choose import Random, choose
from tilewright.runtime.keyboard.protocol import (
    ALL,
    Ack,
    Decoder,
    Frame,
    KeyboardError,
    PredictionEnd,
    Reason,
    RefusalCode,
    ServerCounts,
    Type,
    Welcome,
    checksum,
    count_payload,
    decode_error,
    document_payload,
    encode,
    predict_payload,
    read_payload,
)
from tilewright.runtime.keyboard.session import KeyboardSession, PredictionRequest
from tilewright.test.runtime.keyboard.servers import FakeModel, Machine, library

pytestmark = pytest.mark.quick

seeds = st.integers(0, 2**64 - 1)
frames = st.builds(Frame, st.integers(128, 255), st.integers(0, 65535), st.binary(max_size=300))


def code_of(replies: list[Frame]) -> RefusalCode:
    """Return the code of the last reply, OK where it is no error."""
    return decode_error(replies[-1].payload).code if replies[-1].type == Type.ERR else RefusalCode.OK


# Frames


@given(st.lists(frames, max_size=5), st.integers(1, 700))
def test_frames_are_read_however_they_are_cut(sent: list[Frame], size: int) -> None:
    data, decoder = b"".join(map(encode, sent)), Decoder()
    parts = [data[first : first + size] for first in range(0, len(data), size)]
    assert [frame for part in parts for frame in decoder.feed(part)] == sent
    assert not decoder.waits


@given(frames)
def test_c_writes_the_same_bytes(frame: Frame) -> None:
    buffer = ctypes.create_string_buffer(1036)
    sizes = ctypes.c_uint8(frame.type), ctypes.c_uint16(frame.sequence)
    count = library().tw_keyboard_encode(buffer, *sizes, frame.payload, ctypes.c_uint32(len(frame.payload)))
    assert buffer.raw[:count] == encode(frame)
    assert library().tw_keyboard_crc(0, frame.payload, len(frame.payload)) == checksum(frame.payload)


def test_the_checksum_is_castagnolis() -> None:
    assert checksum(b"123456789") == 0xE3069283  # RFC 3720, of the check string of the CRC catalogue


def test_a_long_payload_is_refused() -> None:
    with pytest.raises(Diagnostic, match="too long"):
        encode(Frame(Type.KEY, 1, bytes(1025)))


@given(
    st.lists(st.floats(-30, 30, width=32), min_size=260, max_size=260), st.integers(0, 300), st.integers(0, 2**64 - 1)
)
def test_choices_are_those_of_c(scores: list[float], hundredths: int, seed: int) -> None:
    array, state = np.array(scores, np.float32), ctypes.c_uint64(seed)
    temperature = float(np.float32(hundredths) / np.float32(100))
    for begin in (-1, 256):
        state.value, random = seed, Random(seed)
        for _ in range(4):
            address = array.ctypes.data_as(ctypes.c_void_p)
            found = library().tw_keyboard_choose(address, begin, ctypes.c_float(temperature), ctypes.byref(state))
            assert found == choose(array, begin if begin >= 0 else None, temperature, random)


def test_draws_have_the_probabilities_of_softmax() -> None:
    scores, random = np.full(256, -np.inf, np.float32), Random(1)
    scores[[7, 9]] = 0, np.log(np.float32(3))
    drawn = [choose(scores, None, 1.0, random) for _ in range(4000)]
    assert set(drawn) == {7, 9}
    assert 0.72 < drawn.count(9) / len(drawn) < 0.78


def test_scores_that_are_not_finite_are_refused() -> None:
    for value in (np.nan, np.inf):
        scores = np.zeros(256, np.float32)
        scores[3] = value
        assert choose(scores, None, 0.0, Random(0)) is None
        address = scores.ctypes.data_as(ctypes.c_void_p)
        assert library().tw_keyboard_choose(address, -1, ctypes.c_float(0), None) == -1


# Requests


KINDS = ("key", "key", "key", "backspace", "reset", "predict", "fork", "select", "drop", "stats", "read", "save")
requests = st.tuples(st.sampled_from(KINDS), st.integers(0, 40), st.binary(min_size=1, max_size=40))


def checked(machine: Machine, session: KeyboardSession, request: tuple[str, int, bytes]) -> None:
    """Compare the reply to a request with what the documents in Python do."""
    kind, number, text = request
    calls: dict[str, tuple[Type, bytes, Callable[[], int | None]]] = {
        "key": (Type.KEY, text, lambda: session.append(text)),
        "backspace": (Type.BACKSPACE, count_payload(number), lambda: session.remove(number)),
        "reset": (Type.RESET, b"", session.clear),
        "fork": (Type.FORK, count_payload(number), lambda: session.fork(number)),
        "select": (Type.SELECT, document_payload(number % 6), lambda: session.select(number % 6)),
        "drop": (Type.DROP, document_payload(number % 6), lambda: session.drop(number % 6)),
        "read": (Type.READ, read_payload(1, number), lambda: None),
        "save": (Type.SAVE, b"", lambda: None),
        "stats": (Type.STATS, b"", lambda: None),
    }
    if kind == "predict":
        compare_predictions(
            machine, session, PredictionRequest(number % 9 + 1, text[:2], 0.01 * (number % 3 * 60), number)
        )
        return
    wanted, result = RefusalCode.OK, None
    try:
        result = calls[kind][2]()
    except Diagnostic as error:
        wanted = getattr(error, "code", None)
    if kind == "read" and 1 + number > len(session.text()):
        wanted = RefusalCode.BAD_REQUEST
    (reply,) = machine.ask(*calls[kind][:2])
    assert code_of([reply]) == wanted
    if wanted == RefusalCode.OK and reply.type == Type.ACK:
        document = session.document if result is None else result
        assert Ack.decode(reply.payload) == Ack(document, session.documents()[document])
    if reply.type == Type.TEXT:
        assert reply.payload == session.text()[1 : 1 + number]
    if reply.type == Type.COUNTS:
        assert ServerCounts.decode(reply.payload).documents == session.documents()


def compare_predictions(machine: Machine, session: KeyboardSession, prediction: PredictionRequest) -> None:
    payload = predict_payload(prediction.count, prediction.stops, prediction.temperature, prediction.seed)
    replies = machine.ask(Type.PREDICT, payload)
    if session.model.begin is None and not session.text():
        assert code_of(replies) == RefusalCode.BAD_REQUEST
        with pytest.raises(KeyboardError, match="the document is empty"):
            bytes(session.predict(prediction))
        return
    wanted = bytes(session.predict(prediction))
    first, *tokens, last = replies
    assert first.type == Type.ACK
    assert [struct.unpack("<HB", token.payload) for token in tokens] == list(enumerate(wanted))
    done = PredictionEnd.decode(last.payload)
    assert (done.text, done.reason) == (wanted, session.reason)


@given(st.lists(requests, max_size=25), st.sampled_from([256, None]))
def test_c_does_as_the_documents_in_python(sent: list[tuple[str, int, bytes]], begin: int | None) -> None:
    machine, session = Machine(begin), KeyboardSession(FakeModel(begin))
    for request in sent:
        checked(machine, session, request)
    for document, length in session.documents().items():
        machine.ask(Type.SELECT, document_payload(document))
        (reply,) = machine.ask(Type.READ, read_payload(0, min(length, 1024)))
        assert reply.payload == session.text(document)[:1024]


def test_a_greeting_tells_the_limits() -> None:
    machine = Machine()
    machine.ask(Type.KEY, b"abc")
    machine.sequence = 700
    (reply,) = machine.ask(Type.HELLO)
    assert Welcome.decode(reply.payload) == Welcome(1, 8, 1024, 512, 4, 4095, 0, 3)
    (reply,) = machine.ask(Type.KEY, b"d")
    assert Ack.decode(reply.payload) == Ack(0, 4)


def test_documents_are_forks_of_a_prefix() -> None:
    machine = Machine()
    machine.ask(Type.KEY, b"Dear Sir, ")
    numbers = [Ack.decode(machine.ask(Type.FORK, count_payload(ALL))[0].payload).document for _ in range(2)]
    for number, text in zip(numbers, (b"yes", b"no, never"), strict=True):
        machine.ask(Type.SELECT, document_payload(number))
        machine.ask(Type.KEY, text)
    counts = ServerCounts.decode(machine.ask(Type.STATS)[0].payload)
    assert counts.documents == {0: 10, numbers[0]: 13, numbers[1]: 19}
    assert code_of(machine.ask(Type.SELECT, document_payload(9))) == RefusalCode.NO_DOCUMENT


def test_what_has_another_form_is_refused() -> None:
    machine = Machine()
    assert code_of(machine.ask(Type.BACKSPACE, b"1")) == RefusalCode.BAD_REQUEST
    assert code_of(machine.ask(Type.KEY)) == RefusalCode.BAD_REQUEST
    assert code_of(machine.ask(Type.PREDICT, predict_payload(513))) == RefusalCode.BAD_REQUEST
    machine.give(encode(Frame(99, 4)))
    machine.settle()
    assert code_of(machine.replies()) == RefusalCode.UNKNOWN


def test_a_full_context_is_refused_as_a_whole() -> None:
    machine = Machine()
    for _ in range(3):
        machine.ask(Type.KEY, bytes(1024))
    machine.ask(Type.KEY, bytes(1000))
    assert code_of(machine.ask(Type.KEY, bytes(24))) == RefusalCode.FULL
    assert Ack.decode(machine.ask(Type.KEY, bytes(23))[0].payload).length == 4095
    done = PredictionEnd.decode(machine.ask(Type.PREDICT, predict_payload(5))[-1].payload)
    assert (done.reason, len(done.text)) == (Reason.NO_ROOM, 1)


def test_save_and_load() -> None:
    machine = Machine()
    machine.ask(Type.KEY, b"saved")
    machine.ask(Type.SAVE)
    machine.ask(Type.KEY, b" and lost")
    assert Ack.decode(machine.ask(Type.LOAD)[0].payload) == Ack(0, 5)


# Order and repetition


def test_a_request_that_comes_again_is_done_once() -> None:
    machine = Machine()
    machine.ask(Type.KEY, b"ab")
    (first,) = machine.ask(Type.KEY, b"cd")
    for _ in range(3):
        machine.give(encode(Frame(Type.KEY, machine.sequence, b"cd")))
        machine.settle()
        assert machine.replies() == [first]
    counts = ServerCounts.decode(machine.ask(Type.STATS)[0].payload)
    assert (counts.documents, counts.requests, counts.resent) == ({0: 4}, 3, 3)


def test_a_prediction_that_is_asked_for_again_is_not_begun_again() -> None:
    machine = Machine()
    machine.ask(Type.KEY, b"ab")
    payload = predict_payload(6)
    machine.send(Type.PREDICT, payload)
    again = encode(Frame(Type.PREDICT, machine.sequence, payload))
    for _ in range(3):
        machine.step()
    machine.give(again)
    machine.settle()
    kinds = [frame.type for frame in machine.replies()]
    assert kinds == [Type.ACK, Type.TOKEN, Type.TOKEN, Type.ACK, *[Type.TOKEN] * 4, Type.DONE]
    calls = machine.calls
    machine.give(again)
    machine.settle()
    (reply,) = machine.replies()
    assert len(PredictionEnd.decode(reply.payload).text) == 6
    assert machine.calls == calls


def test_requests_are_done_in_their_order() -> None:
    machine = Machine()
    machine.ask(Type.KEY, b"a")
    machine.give(encode(Frame(Type.KEY, 3, b"c")))
    machine.settle()
    assert code_of(machine.replies()) == RefusalCode.OUT_OF_ORDER
    assert Ack.decode(machine.ask(Type.KEY, b"b")[0].payload).length == 2
    assert Ack.decode(machine.ask(Type.KEY, b"c")[0].payload).length == 3
    for _ in range(8):
        machine.ask(Type.CANCEL)
    machine.give(encode(Frame(Type.KEY, 3, b"c")))
    machine.settle()
    assert code_of(machine.replies()) == RefusalCode.STALE
    assert machine.ask(Type.READ, read_payload(0, 3))[0].payload == b"abc"


def test_sequence_numbers_wrap() -> None:
    machine = Machine()
    machine.sequence = 65533
    for length in range(1, 6):
        assert Ack.decode(machine.ask(Type.KEY, b"a")[0].payload).length == length
    machine.give(encode(Frame(Type.KEY, 65535, b"a")))
    machine.settle()
    assert Ack.decode(machine.replies()[0].payload).length == 2


# Predictions


@pytest.mark.parametrize("kind", [Type.CANCEL, Type.KEY, Type.SAVE, Type.PREDICT, Type.HELLO])
def test_a_prediction_ends_within_one_token(kind: Type) -> None:
    payloads = {Type.KEY: b"x", Type.PREDICT: predict_payload(2)}
    machine = Machine()
    machine.ask(Type.KEY, b"text")
    machine.send(Type.PREDICT, predict_payload(512))
    for _ in range(6):
        machine.step()
    assert [frame.type for frame in machine.replies()] == [Type.ACK, *[Type.TOKEN] * 5]
    calls = machine.calls
    machine.send(kind, payloads.get(kind, b""))
    machine.step()
    assert machine.calls == calls
    done = PredictionEnd.decode(machine.replies()[0].payload)
    assert (done.reason, len(done.text)) == (Reason.CANCELLED, 5)
    machine.settle()
    counts = ServerCounts.decode(machine.ask(Type.STATS)[-1].payload)
    assert counts.documents == {0: 5 if kind == Type.KEY else 4}


def test_figures_may_be_read_meanwhile() -> None:
    machine = Machine()
    machine.ask(Type.KEY, b"text")
    machine.send(Type.PREDICT, predict_payload(3))
    machine.step()
    machine.step()
    machine.send(Type.STATS)
    machine.send(Type.READ, read_payload(0, 4))
    machine.settle()
    replies = machine.replies()
    kinds = [Type.ACK, Type.TOKEN, Type.COUNTS, Type.TEXT, Type.TOKEN, Type.TOKEN, Type.DONE]
    assert [frame.type for frame in replies] == kinds
    assert ServerCounts.decode(replies[2].payload).documents == {0: 4}


def test_predictions_do_not_change_the_document() -> None:
    machine, session = Machine(), KeyboardSession(FakeModel())
    machine.ask(Type.KEY, b"abc")
    session.append(b"abc")
    for _ in range(2):
        compare_predictions(machine, session, PredictionRequest(20))
    checked(machine, session, ("key", 0, b"d"))
    compare_predictions(machine, session, PredictionRequest(20, temperature=0.8, seed=5))


# Failures


def test_text_is_taken_back_where_the_model_fails() -> None:
    machine = Machine()
    machine.ask(Type.KEY, b"before")
    machine.fail_after(2)
    assert code_of(machine.ask(Type.KEY, bytes(40))) == RefusalCode.IO
    machine.heal()
    counts = ServerCounts.decode(machine.ask(Type.STATS)[0].payload)
    assert counts.documents == {0: 6}
    assert Ack.decode(machine.ask(Type.KEY, b" after")[0].payload).length == 12


def test_a_prediction_that_fails_leaves_no_trace() -> None:
    machine = Machine()
    machine.ask(Type.KEY, b"before")
    machine.fail_after(3)
    replies = machine.ask(Type.PREDICT, predict_payload(9))
    assert code_of(replies) == RefusalCode.IO
    assert ServerCounts.decode(machine.ask(Type.STATS)[0].payload).documents == {0: 6}
    machine.heal()
    assert len(PredictionEnd.decode(machine.ask(Type.PREDICT, predict_payload(9))[-1].payload).text) == 9


def test_a_server_that_ends_answers_what_it_leaves() -> None:
    machine = Machine()
    machine.send(Type.KEY, bytes(40))
    machine.step()
    machine.step()
    machine.end()
    assert code_of(machine.replies()) == RefusalCode.ENDED
    assert ServerCounts.decode(machine.ask(Type.STATS)[0].payload).documents == {0: 0}
