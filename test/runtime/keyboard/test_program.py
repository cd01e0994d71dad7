"""The program of `tilewright keyboard build` under ASan and UBSan: a compiled decoder, its store, and its files."""

from __future__ import annotations

import argparse
import json
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

from tilewright import cli
from tilewright.compiler import MODEL_HASH, Model, compile_model
from tilewright.frontend.zoo.klm import KlmConfig, build_open
from tilewright.runtime.host import HostNetwork
from tilewright.runtime.keyboard.protocol import Ack, KeyboardError, Reason, RefusalCode
from tilewright.runtime.keyboard.session import KeyboardSession, PredictionRequest
from tilewright.runtime.paged.fsck import fsck
from tilewright.runtime.toolchain import STRICT
from tilewright.runtime.tools.keyboard_model import PagedModel, model_of
from tilewright.runtime.tools.store_options import add_store_arguments
from tilewright.test.runtime.keyboard.servers import SANITIZERS, talking

SMALL = KlmConfig(layers=2, dim=32, heads=4, kv_heads=2, head=8, hidden=48, vocabulary=260)
CONTEXT, PAGE, PREFILL = 256, 8, 8
TEXT = b"It is a truth universally acknowledged, that a single man in possession of a good fortune"


@pytest.fixture(scope="module")
def decoder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("decoder") / "decoder.onnx"
    path.write_bytes(build_open(3, config=SMALL).SerializeToString())
    return path


SIZES = ["--context", str(CONTEXT), "--page-length", str(PAGE), "--prefill", str(PREFILL)]


@pytest.fixture(scope="module")
def program(decoder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("server") / "build"
    compiler = " ".join(["cc", *STRICT, *SANITIZERS, "-O0"])  # compiled in half the time
    assert cli.main(["keyboard", "build", str(decoder), *SIZES, "--cc", compiler, "-o", str(folder)]) == 0
    return folder / "keyboard"


@pytest.fixture(scope="module")
def network(decoder: Path) -> tuple[HostNetwork, bytes]:
    """Return the network in this process, and the hash of its model."""
    compilation = compile_model(Model(decoder, context=CONTEXT, page_length=PAGE, prefill=PREFILL), "host")
    return HostNetwork(compilation.program()), bytes.fromhex(compilation.report[MODEL_HASH])


def session_of(network: tuple[HostNetwork, bytes], *options: str) -> KeyboardSession:
    """Return the same documents in this process."""
    parser = argparse.ArgumentParser()
    add_store_arguments(parser)
    given = parser.parse_args(options, argparse.Namespace(begin=256, flags=[], documents=8))
    return KeyboardSession(model_of(*network, given))


BUDGET = ("--kv-budget", "24", "--kv-sinks", "1", "--kv-recent", "1", "--kv-type", "bf16", "--kv-eviction", "clock")


@pytest.mark.parametrize("options", [(), BUDGET], ids=["dense", "budget"])
def test_predictions_are_those_of_the_documents_in_python(
    network: tuple[HostNetwork, bytes], program: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    session = session_of(network, *options)
    memory = ["--kv-memory", "1500KiB", "--kv-dir", str(tmp_path / "kv")] if options else []
    with talking([program, "--serial", "{}", *options, *memory]) as (client, process):
        for text in (TEXT, b"!", b" Yes."):
            session.append(text)
            assert client.key(text).length == len(session.text())
        session.remove(3)
        client.backspace(3)
        for prediction in (
            PredictionRequest(12),
            PredictionRequest(12, temperature=0.9, seed=4),
            PredictionRequest(40, bytes(range(128))),
        ):
            found = client.predict(
                prediction.count, prediction.stops, temperature=prediction.temperature, seed=prediction.seed
            )
            assert found.text == bytes(session.predict(prediction))
            assert found.reason == session.reason
        assert client.text() == session.text()
        counts = client.stats()
        assert counts.hits + counts.misses > 0
        ended(process)


def ended(process: subprocess.Popen[bytes]) -> None:
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (0, b"", b"")


def test_a_session_goes_on_after_a_kill(program: Path, tmp_path: Path) -> None:
    """What was saved is there after SIGKILL, what was typed until SIGTERM after that; the files have no faults."""
    command = [program, "--serial", "{}", "--kv-dir", tmp_path / "kv"]
    with talking(command) as (client, process):
        client.key(TEXT)
        fork = client.fork(20).document
        client.save()
        wanted = client.predict(20).text
        client.key(b" which is lost")
        process.kill()
        process.wait()
    with talking(command) as (client, process):
        assert client.stats().documents == {0: len(TEXT), fork: 20}
        assert (client.text(), client.predict(20).text) == (TEXT, wanted)
        client.select(fork)
        assert client.key(b" and more") == Ack(fork, 29)
        ended(process)
    assert fsck(tmp_path / "kv") == []
    with talking(command) as (client, process):
        client.select(fork)
        assert client.text() == TEXT[:20] + b" and more"
        ended(process)


def test_load_returns_to_what_was_saved(program: Path, tmp_path: Path) -> None:
    """A LOAD that fails closes the documents, until one succeeds."""
    folder = tmp_path / "kv"
    with talking([program, "--serial", "{}", "--kv-dir", folder]) as (client, process):
        client.key(TEXT)
        client.save()
        client.reset()
        assert client.load() == Ack(0, len(TEXT))
        manifest = (folder / "manifest.tw").read_bytes()
        (folder / "manifest.tw").write_bytes(manifest[:-1])
        for call in (client.load, lambda: client.key(b"a")):
            with pytest.raises(KeyboardError) as refusal:
                call()
            assert refusal.value.code == (RefusalCode.CORRUPT if call == client.load else RefusalCode.CLOSED)
        assert client.stats().documents == {}
        (folder / "manifest.tw").write_bytes(manifest)
        assert client.load() == Ack(0, len(TEXT))
        assert client.text() == TEXT
        ended(process)


def test_documents_share_the_pages_of_their_prefix(program: Path) -> None:
    with talking([program, "--serial", "{}", "--documents", "3"]) as (client, process):
        client.key(TEXT)
        alone = client.stats().resident
        client.select(client.fork().document)
        assert client.stats().resident == alone
        client.key(TEXT)
        assert client.stats().resident < 3 * alone
        client.fork(0)
        with pytest.raises(KeyboardError) as refusal:
            client.fork()
        assert refusal.value.code == RefusalCode.FULL
        assert client.drop(0) == Ack(1, 2 * len(TEXT))
        ended(process)


def test_a_store_that_is_full_takes_nothing_of_a_request(program: Path) -> None:
    """Rows for one document of the context serve two; the second one's text is taken back where they end."""
    with talking([program, "--serial", "{}", "--kv-capacity", str(CONTEXT)]) as (client, process):
        client.key(bytes(200))
        client.select(client.fork(0).document)
        with pytest.raises(KeyboardError) as refusal:
            client.key(bytes(150))
        assert refusal.value.code == RefusalCode.FULL
        assert client.key(bytes(20)) == Ack(1, 20)
        done = client.predict(200)
        assert (done.reason, len(done.text)) == (Reason.NO_ROOM, 43)  # 7 rows of 8 and a tail of 7 tokens, and one more
        assert client.stats().documents == {0: 200, 1: 20}
        client.drop(0)
        assert client.key(bytes(150)) == Ack(1, 170)
        ended(process)


def test_a_prediction_ends_with_the_context(program: Path) -> None:
    with talking([program, "--serial", "{}"]) as (client, process):
        client.key(bytes(CONTEXT - 5))
        done = client.predict(100)
        assert (done.reason, len(done.text)) == (Reason.NO_ROOM, 5)
        with pytest.raises(KeyboardError) as refusal:
            client.save()
        assert refusal.value.code == RefusalCode.NO_FOLDER
        ended(process)


def test_text_mode_predicts_and_saves(network: tuple[HostNetwork, bytes], program: Path, tmp_path: Path) -> None:
    session = session_of(network)
    session.append(b"Hello")
    wanted = bytes(session.predict(PredictionRequest(9, b"\n")))
    command = [str(program), "--text", "--predict", "9", "--kv-dir", str(tmp_path / "kv")]
    done = subprocess.run(command, input=b"Hello\t\n", capture_output=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, wanted.rstrip(b"\n") + b"\n", b"")
    done = subprocess.run(command, input=b"\n", capture_output=True, check=False, timeout=60)
    assert done.stdout == wanted.rstrip(b"\n") + b"\n"


def test_figures_of_a_file_of_tokens(program: Path, tmp_path: Path) -> None:
    file = tmp_path / "tokens.bin"
    file.write_bytes(TEXT)
    command = [str(program), "--tokens", str(file), "--count", "200", "--every", "80", "--kv-budget", "32"]
    for more in ([], ["--single"]):
        done = subprocess.run([*command, *more], capture_output=True, check=False, timeout=60)
        assert (done.returncode, done.stderr) == (0, b"")
        lines = [json.loads(line) for line in done.stdout.splitlines()]
        assert [line["tokens"] for line in lines] == [80, 160, 200]
        assert all(line["tokens_per_second"] > 0 and 0 <= line["hit_rate"] <= 1 for line in lines)
        assert lines[-1]["resident_bytes"] > 0
        assert lines[-1]["vm_hwm"] >= lines[0]["vm_hwm"] > lines[-1]["resident_bytes"]
    done = subprocess.run([*command[:3], "--count", "300"], capture_output=True, check=False, timeout=60)
    assert (done.returncode, b"the context is full" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--kv-memory", "12 frogs"], "--kv-memory is not a size such as 100MiB"),
        (["--kv-memory", "1KiB"], "working set"),
        (["--kv-type", "f16"], "--kv-type is not f32 or bf16"),
        (["--documents", "0"], "--documents is not 1 to 64"),
        (["--kv-capacity", "10"], "holds the context"),
        (["--kv-budget", "8", "--kv-sinks", "9"], "budget_pages"),
        (["--serial", "/none"], "No such file"),
        (["--serial", "/dev/null,77"], "known rate"),
        (["--text", "--tokens", "x"], "given alone"),
        (["--tokens", "/none"], "No such file"),
        (["word"], "'word' is no option"),
        (["--kv-dir", "/none/kv"], "No such file"),
    ],
)
def test_wrong_options_are_refused(program: Path, words: list[str], said: str) -> None:
    done = subprocess.run([str(program), *words], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    assert done.returncode in (1, 2)
    assert done.stderr.startswith("error: ")
    assert said in done.stderr
    assert done.stdout == ""


def test_help_names_every_option(program: Path) -> None:
    done = subprocess.run([str(program), "--help"], capture_output=True, text=True, check=True)
    names = ["serial", "text", "tokens", "kv-memory", "kv-dir", "kv-budget", "kv-sinks", "kv-recent", "kv-eviction"]
    assert all(f"--{name} " in done.stdout for name in names)


# The command


@pytest.mark.nightly
@pytest.mark.skipif(shutil.which("riscv64-linux-gnu-gcc") is None, reason="apt install gcc-riscv64-linux-gnu")
@pytest.mark.skipif(shutil.which("qemu-riscv64") is None, reason="apt install qemu-user")
def test_a_cross_compiler_builds_the_same_server(decoder: Path, program: Path, tmp_path: Path) -> None:
    compiler = "riscv64-linux-gnu-gcc -static"
    assert cli.main(["keyboard", "build", str(decoder), *SIZES, "--cc", compiler, "-o", str(tmp_path / "build")]) == 0
    outputs = [
        subprocess.run([*command, "--text"], input=TEXT + b"\t\n", capture_output=True, check=True).stdout
        for command in ([str(program)], ["qemu-riscv64", str(tmp_path / "build" / "keyboard")])
    ]
    assert outputs[0] == outputs[1] != b"\n"


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        ({"vocabulary": 40}, [], "the model is none of bytes"),
        ({}, ["--begin", "260"], "does not know the token 260"),
        ({}, ["--cc", "/none/cc"], "there is no such C compiler"),
        ({}, ["--cc", "false"], "the C compiler failed with status 1"),
        ({}, ["--target", "siracusa"], "does not run on target 'siracusa'"),
    ],
)
def test_what_is_no_server_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], change: dict[str, int], options: list[str], said: str
) -> None:
    model = tmp_path / "decoder.onnx"
    model.write_bytes(build_open(3, config=KlmConfig(**(vars(SMALL) | {"layers": 1} | change))).SerializeToString())
    command = ["keyboard", "build", str(model), "--context", "64", "-o", str(tmp_path / "build"), *options]
    assert cli.main(command) in (1, 2)
    assert said in capsys.readouterr().err
    assert not (tmp_path / "build").exists()


@pytest.mark.nightly
def test_a_model_of_bytes_alone_has_no_token_at_the_start(tmp_path: Path) -> None:
    model = tmp_path / "decoder.onnx"
    model.write_bytes(
        build_open(3, config=KlmConfig(**(vars(SMALL) | {"layers": 1, "vocabulary": 256}))).SerializeToString()
    )
    command = ["keyboard", "build", str(model), "--context", "64", "-o", str(tmp_path / "build"), "--cc", "cc -O1"]
    assert cli.main(command) == 0
    with talking([tmp_path / "build" / "keyboard", "--serial", "{}"]) as (client, _):
        with pytest.raises(KeyboardError, match="the document is empty"):
            client.predict(4)
        client.key(bytes(62))
        assert len(client.predict(9).text) == 3


def test_the_model_in_python_is_one(network: tuple[HostNetwork, bytes]) -> None:
    model = session_of(network).model
    assert isinstance(model, PagedModel)
    assert (model.begin, model.length, model.chunk, model.documents) == (256, CONTEXT, PREFILL, 8)
    assert model.counts().memory > model.counts().resident >= 0
