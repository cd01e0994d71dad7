"""A keyboard server under ASan and UBSan on a pseudo-terminal: damaged frames, lost bytes, silence, signals."""

from __future__ import annotations

import os
import random
import select
import signal
import statistics
import subprocess
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import pytest

from tilewright.runtime.keyboard.client import KeyboardClient
from tilewright.runtime.keyboard.protocol import (
    PAYLOAD,
    SYNC,
    Ack,
    Decoder,
    Frame,
    KeyboardError,
    PredictionEnd,
    Reason,
    RefusalCode,
    Type,
    checksum,
    count_payload,
    decode_error,
    document_payload,
    encode,
    predict_payload,
)
from tilewright.runtime.keyboard.session import KeyboardSession, PredictionRequest
from tilewright.test.runtime.keyboard.servers import FakeModel, exchanged, fake_server, serving, talking


@pytest.fixture(scope="module")
def program() -> Path:
    return fake_server()


def ended(process: subprocess.Popen[bytes]) -> None:
    """End a server and check that no sanitiser has objected."""
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (0, b"", b"")


# Damaged frames


class Requests:
    """Valid requests at random, whose replies documents in Python give: a document and its length, or a text."""

    def __init__(self, draw: random.Random):
        self.draw, self.session, self.sequence = draw, KeyboardSession(FakeModel()), 1

    def frame(self, kind: Type, payload: bytes = b"") -> Frame:
        """Return the next request."""
        self.sequence = self.sequence + 1 & 0xFFFF
        return Frame(kind, self.sequence, payload)

    def next(self) -> tuple[Frame, tuple[int, int] | bytes]:
        """Return the next request and its reply."""
        draw, session = self.draw, self.session
        length = session.documents()[session.document]
        kind = draw.choices(["key", "backspace", "predict", "select", "fork"], [9, 4, 1, 2, 1])[0]
        if kind == "predict":
            expected = bytes(session.predict(PredictionRequest(4, seed=7)))
            return self.frame(Type.PREDICT, predict_payload(4, seed=7)), expected
        if kind == "fork" and len(session.documents()) < session.model.documents:
            return self.frame(Type.FORK, count_payload(length // 2)), (session.fork(length // 2), length // 2)
        if kind == "select":
            session.select(draw.choice(list(session.documents())))
            frame = self.frame(Type.SELECT, document_payload(session.document))
        elif kind == "backspace" or length > 200:
            session.remove(count := draw.randrange(length + 1))
            frame = self.frame(Type.BACKSPACE, count_payload(count))
        else:
            session.append(text := draw.randbytes(draw.choice([1, 1, 1, 9, 60])))
            frame = self.frame(Type.KEY, text)
        return frame, (session.document, session.documents()[session.document])


def damaged(draw: random.Random) -> bytes:
    """Return a frame with flipped bits, cut, of a wrong length, or garbage."""
    payload = draw.randbytes(draw.choice([0, 1, 5, 40, PAYLOAD]))
    data = bytearray(encode(Frame(draw.randrange(16), draw.randrange(65536), payload)))
    kind = draw.randrange(6)
    if kind == 0:
        for _ in range(draw.randint(1, 3)):
            data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    elif kind == 1:
        del data[draw.randrange(len(data)) :]
    elif kind == 2:
        first = draw.randrange(len(data))
        del data[first : first + draw.randint(1, 4)]
    elif kind == 3:
        return draw.randbytes(draw.randrange(60))
    elif kind == 4:
        return SYNC * draw.randrange(5) + draw.randbytes(draw.randrange(20))
    else:
        length = draw.choice([0, 3, len(payload) + 1, PAYLOAD, PAYLOAD + 1, 0xFFFF])
        data[2:4] = length.to_bytes(2, "little")
        data[7] = checksum(bytes(data[2:7])) & 255
    return bytes(data)


def damaged_before(draw: random.Random, frame: Frame) -> bytes:
    """Return a request after two damaged frames; one whose lost end is how the next one begins is not damaged."""
    while True:
        data = damaged(draw) + damaged(draw) + encode(frame)
        if [found for found in Decoder(0, 127).feed(data + bytes(PAYLOAD + 12)) if not found.is_damaged] == [frame]:
            return data


def check_stream(program: Path, seed: int, count: int) -> None:
    """Send `count` damaged frames between valid ones; these alone decide replies and documents."""
    draw = random.Random(seed)
    requests = Requests(draw)
    with serving([program, "{}"]) as (line, process):
        client = KeyboardClient(line, line, timeout=20)
        client.hello()
        for _ in range(0, count, 50):
            batch = [requests.next() for _ in range(25)]
            parts = [damaged_before(draw, frame) for frame, _ in batch]
            check_batch(line, b"".join(parts), batch, requests.frame(Type.CANCEL))
        client.hello()
        for document in requests.session.documents():
            client.select(document)
            assert client.text() == requests.session.text(document)
        ended(process)


def check_batch(line: int, data: bytes, batch: list[tuple[Frame, tuple[int, int] | bytes]], last: Frame) -> None:
    """Exchange a batch; zeros before its last request complete what waits for bytes, so that all is decided."""
    data += bytes(PAYLOAD + 12) + encode(last)
    found = list(Decoder(0, 127).feed(data))
    assert [frame for frame in found if not frame.is_damaged] == [*(frame for frame, _ in batch), last]
    replies = exchanged(line, data, lambda frames: any(frame.sequence == last.sequence for frame in frames))
    errors = [frame for frame in replies if frame.type == Type.ERR]
    assert [frame.sequence for frame in errors] == [frame.sequence for frame in found if frame.is_damaged]
    assert {decode_error(frame.payload).code for frame in errors} <= {RefusalCode.BAD_FRAME}
    answers = {frame.sequence: frame for frame in replies if frame.type in (Type.ACK, Type.DONE)}
    for frame, expected in batch:
        reply = answers[frame.sequence]
        if isinstance(expected, bytes):
            assert expected.startswith(PredictionEnd.decode(reply.payload).text)
        else:
            assert Ack.decode(reply.payload) == Ack(*expected)


def test_damaged_frames_change_nothing(program: Path) -> None:
    check_stream(program, 1, 500)


@pytest.mark.nightly
@pytest.mark.parametrize("seed", range(4))
def test_ten_thousand_damaged_frames_change_nothing(program: Path, seed: int) -> None:
    check_stream(program, 100 + seed, 10_000)


def test_a_frame_that_the_line_cut_is_given_up(program: Path) -> None:
    """A line that falls silent in a frame gets an ERR; the next frame is read, however it begins in the other one."""
    with talking([program, "{}"]) as (client, process):
        os.write(client.writes, encode(Frame(Type.KEY, 2, bytes(100)))[:50])
        replies = exchanged(client.reads, b"", bool)
        assert [(frame.sequence, decode_error(frame.payload).code) for frame in replies] == [(2, RefusalCode.BAD_FRAME)]
        assert client.key(b"ab") == Ack(0, 2)
        os.write(client.writes, SYNC + b"\xff")
        assert client.key(b"cd") == Ack(0, 4)
        ended(process)


def test_bytes_may_come_one_by_one(program: Path) -> None:
    with talking([program, "{}"]) as (client, process):
        for byte in encode(Frame(Type.KEY, 2, b"slow")):
            os.write(client.writes, bytes([byte]))
            time.sleep(0.002)
        assert exchanged(client.reads, b"", bool) == [Frame(Type.ACK, 2, bytes([0, 0, 4, 0, 0, 0]))]
        ended(process)


class Lossy(KeyboardClient):
    """Client on a line that damages what it writes, and loses what it reads."""

    draw = random.Random(0)

    def _send(self, frame: Frame) -> None:
        data = bytearray(encode(frame))
        if self.draw.random() < 0.3:
            data[self.draw.randrange(len(data))] ^= 1 << self.draw.randrange(8)
        os.write(self.writes, data)

    def _receive(self, queue: deque[Frame]) -> None:
        super()._receive(queue)
        if queue and self.draw.random() < 0.2:
            queue.popleft()


def test_a_client_gets_through_a_line_that_damages_and_loses(program: Path) -> None:
    with talking([program, "{}"]) as (client, process):
        lossy, session = Lossy(client.reads, client.writes, timeout=0.25, attempts=50), KeyboardSession(FakeModel())
        lossy.hello()
        for place in range(20):
            text = b"%d bottles" % place
            session.append(text)
            lossy.key(text)
        session.remove(5)
        lossy.backspace(5)
        prediction = lossy.predict(12)
        assert (prediction.text, prediction.reason) == (bytes(session.predict(PredictionRequest(12))), Reason.COUNT)
        assert lossy.text() == session.text()
        counts = lossy.stats()
        assert counts.resent > 0
        assert counts.damaged > 0
        ended(process)


# Time


def test_a_prediction_is_cancelled_while_it_is_computed(program: Path) -> None:
    """The model takes 50 ms; a CANCEL at the third token leaves no more than what was computed meanwhile."""
    with talking([program, "{}", "50000"]) as (client, process):
        client.key(b"text")
        start = time.monotonic()
        done = client.predict(512, goes_on=lambda text: len(text) < 3)
        assert done.reason == Reason.CANCELLED
        assert 3 <= len(done.text) <= 3 + (time.monotonic() - start) / 0.05
        assert time.monotonic() - start < 10
        assert client.key(b".") == Ack(0, 5)
        ended(process)


def test_a_reader_that_stops_blocks_nothing(program: Path) -> None:
    """Who does not read replies finds them later; the server ends at once."""
    with talking([program, "{}"]) as (client, process):
        client.key(b"text")
        data = b"".join(encode(Frame(Type.PREDICT, 3 + place, predict_payload(512))) for place in range(6))
        os.write(client.writes, data)
        time.sleep(0.3)
        select.select([], [client.writes], [], 5)
        replies = exchanged(
            client.reads,
            b"",
            lambda frames: frames[-1:] != [] and frames[-1].type == Type.DONE and frames[-1].sequence == 8,
        )
        assert [frame.sequence for frame in replies if frame.type == Type.DONE] == list(range(3, 9))
        ended(process)


@pytest.mark.nightly
def test_a_key_is_state_within_a_millisecond(record_property: Callable[[str, object], None]) -> None:
    """The time from a KEY on the line to its reply, without sanitisers; the model takes none."""
    with talking([fake_server(("-O2",)), "{}"]) as (client, _):
        times: list[float] = []
        for place in range(1000):
            start = time.perf_counter()
            client.key(b"k")
            times.append(time.perf_counter() - start)
            if place % 200 == 199:
                client.reset()
        median = statistics.median(times)
        record_property("milliseconds", median * 1e3)
        assert median < 1e-3


# The text mode and signals


def test_text_is_predicted_on_a_terminal(program: Path) -> None:
    session = KeyboardSession(FakeModel())
    session.append(b"Hello")
    first = bytes(session.predict(PredictionRequest(8, b"\n")))
    session.append(b" you\n")
    second = bytes(session.predict(PredictionRequest(8, b"\n")))
    command = [str(program), "-", "0", "text"]
    done = subprocess.run(command, input=b"Hello\t\n you\n\n", capture_output=True, check=False, timeout=30)
    wanted = b"".join(text if text.endswith(b"\n") else text + b"\n" for text in (first, second))
    assert (done.returncode, done.stdout, done.stderr) == (0, wanted, b"")


def test_an_interrupt_ends_a_prediction_and_then_the_program(program: Path) -> None:
    command = [str(program), "-", "100000", "text"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"abc\t")
        process.stdin.flush()
        assert len(process.stdout.read(1)) == 1
        process.send_signal(signal.SIGINT)
        rest = process.stdout.readline()
        assert len(rest) < 8
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20) == (b"", b"")
        assert process.returncode == 0


def test_requests_in_a_pipe_are_done_before_the_end(program: Path) -> None:
    data = b"".join([encode(Frame(Type.KEY, 1, b"abc")), encode(Frame(Type.PREDICT, 2, predict_payload(3)))])
    done = subprocess.run([str(program)], input=data, capture_output=True, check=False, timeout=30)
    assert (done.returncode, done.stderr) == (0, b"")
    kinds = [frame.type for frame in Decoder().feed(done.stdout)]
    assert kinds == [Type.ACK, Type.ACK, *[Type.TOKEN] * 3, Type.DONE]


def test_an_error_has_its_code(program: Path) -> None:
    with talking([program, "{}"]) as (client, process):
        with pytest.raises(KeyboardError, match="fewer bytes") as refusal:
            client.backspace(3)
        assert refusal.value.code == RefusalCode.BAD_REQUEST
        assert client.key(b"a") == Ack(0, 1)
        ended(process)
