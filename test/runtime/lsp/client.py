"""A client that speaks the protocol to the real process."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import Empty, Queue
from types import TracebackType
from typing import Any

SECONDS = 60
"""Seconds after which an answer that does not come is an error; one takes milliseconds on an idle machine."""


class Client:
    """Client of one server; messages that are no answers are kept until they are asked for."""

    def __init__(self, *options: str, encodings: list[str] | None = None):
        command = [sys.executable, "-m", "tilewright.cli", "lsp", *options]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe)
        self.messages: Queue[dict[str, Any] | None] = Queue()
        self.others: list[dict[str, Any]] = []
        self.number = 0
        threading.Thread(target=self._read, daemon=True).start()
        general = {"general": {"positionEncodings": encodings}} if encodings else {}
        self.capabilities = self.request("initialize", processId=None, rootUri=None, capabilities=general)
        self.notify("initialized")

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None) -> None:
        if kind is None and self.process.poll() is None:
            assert self.end() == 0
        self.process.kill()

    def _read(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while header := stream.readline():
            length = int(header.decode().partition(":")[2])
            while stream.readline().strip():
                pass
            self.messages.put(json.loads(stream.read(length)))
        self.messages.put(None)

    def write(self, data: bytes) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Mapping[str, Any]) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def notify(self, method: str, **params: Any) -> None:
        self.send({"method": method, "params": params})

    def ask(self, method: str, **params: Any) -> dict[str, Any]:
        """Return the whole answer to a request, an error too."""
        self.number += 1
        number = self.number
        self.send({"id": number, "method": method} | ({"params": params} if params else {}))
        return self.wait(lambda message: message.get("id") == number and "method" not in message)

    def request(self, method: str, **params: Any) -> Any:
        answer = self.ask(method, **params)
        assert "error" not in answer, answer
        return answer["result"]

    def wait(self, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Return the next message of a kind."""
        for message in self.others:
            if wanted(message):
                self.others.remove(message)
                return message
        while True:
            try:
                message = self.messages.get(timeout=SECONDS)
            except Empty:
                raise AssertionError(f"no answer; before came {self.others}") from None
            assert message is not None, self.errors()
            if wanted(message):
                return message
            self.others.append(message)

    def errors(self) -> str:
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()

    def open(self, uri: str, text: str, version: int = 1) -> None:
        document = {"uri": uri, "languageId": "mlir", "version": version, "text": text}
        self.notify("textDocument/didOpen", textDocument=document)

    def change(self, uri: str, text: str, version: int) -> None:
        self.notify(
            "textDocument/didChange",
            textDocument={"uri": uri, "version": version},
            contentChanges=[{"text": text}],
        )

    def diagnostics(self, uri: str, version: int | None = 1) -> list[dict[str, Any]]:
        """Return the errors that are published for a version of a document."""

        def is_wanted(message: dict[str, Any]) -> bool:
            params = message.get("params", {})
            is_published = message.get("method") == "textDocument/publishDiagnostics"
            return is_published and params["uri"] == uri and params.get("version") == version

        return self.wait(is_wanted)["params"]["diagnostics"]

    def at(self, method: str, uri: str, line: int, character: int, **params: Any) -> Any:
        position = {"line": line, "character": character}
        return self.request(f"textDocument/{method}", textDocument={"uri": uri}, position=position, **params)

    def end(self) -> int:
        """Say shutdown and exit; return the exit code."""
        self.request("shutdown")
        self.send({"method": "exit"})
        return self.process.wait(SECONDS)


def uri_of(name: str, folder: Path = Path("/")) -> str:
    return (folder / name).as_uri()
