"""The language server as a process, spoken to by the protocol."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tilewright import cli
from tilewright.runtime.lsp import command
from tilewright.test.runtime.lsp.client import SECONDS, Client, uri_of

needs_pygls = pytest.mark.skipif(find_spec("pygls") is None, reason="pygls is not installed")

GOOD = """\
// RUN: opt-tool %s -p cse
func.func @"\U0001f600"(%a: i32) -> i32 {
  func.return %a : i32 loc("\U0001f600\u00e4")
}
func.func @g(%a: i32) -> i32 {
  %b = func.call @"\U0001f600"(%a) : (i32) -> i32
  func.return %b : i32
}
"""
WRONG = """\
func.func @f(%a: i64) -> i32 {
  func.return %a : i64
}
// -----
func.func @f() {
  %x = arith.constant "\U0001f600" 1
}
"""


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Client() as client:
        yield client


@needs_pygls
def test_errors_as_one_types(client: Client) -> None:
    uri = uri_of("errors.mlir")
    client.open(uri, GOOD)
    assert client.diagnostics(uri) == []
    client.change(uri, WRONG, 2)
    verifying, parsing = client.diagnostics(uri, 2)
    assert verifying["range"] == {"start": {"line": 1, "character": 2}, "end": {"line": 1, "character": 13}}
    assert "does not verify" in verifying["message"]
    assert parsing["range"]["start"]["line"] == 5
    assert "relatedInformation" not in verifying
    client.change(uri, f"{GOOD}// -----\n{GOOD}".replace("%a : i32 loc", "%a : i64 loc"), 4)
    for error, line in zip(client.diagnostics(uri, 4), (1, 10), strict=True):
        (related,) = error["relatedInformation"]
        assert related["message"] == "defined here"
        assert related["location"]["range"]["start"] == {"line": line, "character": 16}
    client.change(uri, GOOD, 5)
    assert client.diagnostics(uri, 5) == []


@needs_pygls
def test_names(client: Client) -> None:
    uri = uri_of("names.mlir")
    client.open(uri, GOOD)
    # The symbol is five code units long, with the emoji's two.
    place = {"start": {"line": 1, "character": 10}, "end": {"line": 1, "character": 15}}
    call = {"start": {"line": 5, "character": 17}, "end": {"line": 5, "character": 22}}
    assert client.at("definition", uri, 5, 18)["range"] == place
    references = client.at("references", uri, 1, 11, context={"includeDeclaration": True})
    assert [location["range"] for location in references] == [place, call]
    assert client.at("definition", uri, 5, 24)["range"]["start"] == {"line": 4, "character": 13}
    edits = client.at("rename", uri, 1, 11, newName="@h")["changes"][uri]
    assert [(edit["range"], edit["newText"]) for edit in edits] == [(place, "@h"), (call, "@h")]
    refused = client.ask(
        "textDocument/rename", textDocument={"uri": uri}, position={"line": 4, "character": 13}, newName="%b"
    )
    assert "%b is defined in line 6" in refused["error"]["message"]
    assert client.at("definition", uri, 3, 0) is None


@needs_pygls
def test_texts_symbols_lenses_and_completion(client: Client) -> None:
    uri = uri_of("texts.mlir")
    client.open(uri, GOOD)
    hover = client.at("hover", uri, 5, 3)
    assert "%b : i32" in hover["contents"]["value"]
    document = {"uri": uri}
    symbols = client.request("textDocument/documentSymbol", textDocument=document)
    assert [symbol["name"] for symbol in symbols] == ["\U0001f600", "g"]
    (lens,) = client.request("textDocument/codeLens", textDocument=document)
    assert lens["command"]["arguments"] == [uri, None]
    client.change(uri, '\nfunc.func @"\U0001f600"() { arith.ad', 2)
    items = client.at("completion", uri, 1, 28)
    assert {"arith.addi", "arith.addf"} <= {item["label"] for item in items}
    start = {"line": 1, "character": 20}
    assert items[0]["textEdit"]["range"] == {"start": start, "end": {"line": 1, "character": 28}}


@needs_pygls
def test_a_huge_text_is_left_as_soon_as_another_comes(client: Client) -> None:
    uri = uri_of("huge.mlir")
    body = "".join(f"  %{number} = arith.constant {number} : i32\n" for number in range(400_000))
    client.open(uri, f"func.func @f() {{\n{body}  func.return\n}}\n")
    start = time.monotonic()
    client.change(uri, GOOD, 2)
    assert client.diagnostics(uri, 2) == []
    # The text is that of 30 seconds of parsing; to read it from the pipe takes a part of one.
    assert time.monotonic() - start < 15
    client.open(uri_of("closed.mlir"), f"func.func @f() {{\n{body}")
    client.notify("textDocument/didClose", textDocument={"uri": uri_of("closed.mlir")})
    assert client.diagnostics(uri_of("closed.mlir"), None) == []
    hover = {"textDocument": {"uri": uri_of("closed.mlir")}, "position": {"line": 0, "character": 0}}
    assert client.request("textDocument/hover", **hover) is None


@needs_pygls
def test_messages_that_are_none(client: Client) -> None:
    assert client.ask("textDocument/nothing")["error"]["code"] == -32601
    client.notify("$/nothing")
    client.write(b"Content-Length: 5\r\n\r\n{abc}")
    assert client.wait(lambda message: message.get("method") == "window/showMessage")
    body = json.dumps({"jsonrpc": "2.0", "id": "parts", "method": "textDocument/nothing"}).encode()
    message = b"Content-Length: %d\r\n\r\n" % len(body) + body
    for part in (message[:10], message[10:40], message[40:]):
        client.write(part)
        time.sleep(0.01)
    assert client.wait(lambda message: message.get("id") == "parts")


@needs_pygls
def test_tests_are_run(client: Client, tmp_path: Path) -> None:
    def run(text: str, line: int | None = None) -> dict[str, Any]:
        uri = uri_of("test.mlir", tmp_path)
        client.open(uri, text)
        client.diagnostics(uri)
        return client.ask("workspace/executeCommand", command="tilewright.runTest", arguments=[uri, line])

    (tmp_path / "test.mlir").write_text("old")
    (tmp_path / "beside").write_text("beside")
    text = "// RUN: cat %s %S/beside\n// RUN: cat missing\n"
    assert run(text, 0)["result"] == {"passed": True, "output": "RUN: cat %s %S/beside"}
    failed = run(text)["result"]
    assert not failed["passed"]
    assert "RUN: cat missing" in failed["output"]
    assert "No such file" in failed["output"]
    assert "begins in line 3" in run(text, 2)["error"]["message"]
    assert "no RUN line" in run("func.func @f()")["error"]["message"]


@needs_pygls
def test_the_end() -> None:
    by_the_book = Client("--stdio", encodings=["utf-32", "utf-16"])
    assert by_the_book.capabilities["capabilities"]["positionEncoding"] == "utf-32"
    by_the_book.open(uri_of("end.mlir"), GOOD)
    assert by_the_book.at("definition", uri_of("end.mlir"), 5, 18)["range"]["end"]["character"] == 14
    at_once, cut = Client(), Client()
    at_once.send({"method": "exit"})
    cut.write(b'Content-Length: 100\r\n\r\n{"jsonrpc"')
    assert cut.process.stdin is not None
    cut.process.stdin.close()
    assert by_the_book.end() == 0
    assert at_once.process.wait(SECONDS) == 1
    assert cut.process.wait(SECONDS) == 1


@needs_pygls
def test_dialects_of_files(tmp_path: Path) -> None:
    file = tmp_path / "plug_in.py"
    file.write_text(
        """
from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition, operand_def, traits_def

print("a plug-in prints")

@irdl_op_definition
class ShowOp(IRDLOperation):
    \"\"\"Shows a value.\"\"\"

    name = "plug.show"
    shown = operand_def()
    assembly_format = "$shown `:` type($shown) attr-dict"

PLUG = Dialect("plug", [ShowOp])
"""
    )
    uri = uri_of("plug.mlir")
    with Client("--load-pass", str(file)) as client:
        client.open(uri, "func.func @f(%a: i32) {\n  plug.show %a : i32\n  func.return\n}\n")
        assert client.diagnostics(uri) == []
        assert "Shows a value." in client.at("hover", uri, 1, 4)["contents"]["value"]
        assert client.at("definition", uri, 1, 13)["range"]["start"]["character"] == 13
        assert [item["label"] for item in client.at("completion", uri, 1, 7)] == ["plug.show"]


def test_without_pygls(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def missing(name: str) -> None:
        raise ImportError(f"No module named '{name}'")

    monkeypatch.setattr(command, "import_module", missing)
    assert cli.main(["lsp"]) == 1
    assert "remedy:     pip install 'tilewright[lsp]'" in capsys.readouterr().err
