"""Language server: the open documents, and their analysis in one thread; `requests.py` has the answers."""

from __future__ import annotations

import asyncio
import os
import re
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib.metadata import version
from typing import Any, ParamSpec, TypeVar

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol
from xdsl.context import Context

from ...dialects.core.syntax.occurrences import ParsingCancelled
from ...dialects.core.verification.notes import CURRENT_OPERATION
from ...passes.core.failures import as_diagnostic
from .analysis import NAME, Analysis, LocatedError, analyse
from .completions import Vocabulary
from .index import TextRange
from .positions import Positions

_P = ParamSpec("_P")
_T = TypeVar("_T")

PAUSE = 0.15
"""Seconds without a change after which a text is analysed: between two key strokes of a fluent typist."""
_SOURCE = "tilewright"
_NOTE = re.compile(rf"{NAME}:(\d+):(\d+): (.*)", re.DOTALL)


@dataclass(eq=False)
class EditedDocument:
    """Version of an open document; `analysis` is None until it is asked for, and cancelled by `stale`."""

    uri: str
    text: str
    version: int | None
    encoding: str
    stale: threading.Event = field(default_factory=threading.Event)
    analysis: asyncio.Task[Analysis | None] | None = None

    @cached_property
    def positions(self) -> Positions:
        return Positions(self.text, self.encoding)

    def range(self, range: TextRange) -> types.Range:
        """Return a range in lines and code units."""
        start, end = self.positions.at(range.start), self.positions.at(range.end)
        return types.Range(types.Position(*start), types.Position(*end))

    def offset(self, position: types.Position) -> int:
        return self.positions.offset(position.line, position.character)


class _Protocol(LanguageServerProtocol):
    """Protocol in which a message of an unknown method may leave out its parameters, which pygls asks for."""

    def structure_message(self, data: dict[str, Any]) -> Any:
        if "jsonrpc" in data and "method" in data and self.get_message_type(data["method"]) is None:
            data.setdefault("params", None)
        return super().structure_message(data)


class IrServer(LanguageServer):
    """
    Server for documents with IR.

    IR is read by one thread alone: xDSL's verification changes state of classes. What it does for a text ends as soon
    as the next version comes, or the document is closed.
    """

    def __init__(self, contexts: Mapping[bool, Context], words: Vocabulary):
        # pygls would split the lines of incremental changes where Python does, also at form feeds and U+2028.
        full = types.TextDocumentSyncKind.Full
        super().__init__("tilewright", version("tilewright"), full, protocol_cls=_Protocol)  # pyright: ignore[reportUnknownMemberType]
        self._contexts = contexts
        self.words = words
        self._open: dict[str, EditedDocument] = {}
        self._reader = ThreadPoolExecutor(1, "ir")

    def changed(self, uri: str, pause: float) -> None:
        """Analyse the present text of a document after a pause, in place of what is analysed of older ones."""
        self._drop(uri)
        source = self.workspace.get_text_document(uri)
        encoding = str(getattr(self.workspace.position_encoding, "value", self.workspace.position_encoding))
        document = EditedDocument(uri, source.source, source.version, encoding)
        self._open[uri] = document
        document.analysis = asyncio.ensure_future(self._analyse(document, pause))

    def closed(self, uri: str) -> None:
        """Forget a document, and remove its errors."""
        self._drop(uri)
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def end(self) -> None:
        """End what is being analysed."""
        for uri in list(self._open):
            self._drop(uri)
        self._reader.shutdown(wait=False, cancel_futures=True)

    def _drop(self, uri: str) -> None:
        document = self._open.pop(uri, None)
        if document is not None:
            document.stale.set()

    async def _analyse(self, document: EditedDocument, pause: float) -> Analysis | None:
        """Return the analysis of a document, None if it is stale; publish its errors."""
        await asyncio.sleep(pause)
        if document.stale.is_set():
            return None
        loop = asyncio.get_running_loop()
        try:
            analysis = await loop.run_in_executor(
                self._reader, analyse, document.text, self._contexts, document.stale.is_set
            )
        except ParsingCancelled:
            return None
        except Exception as error:  # the client would wait for ever, and not know why
            fault = LocatedError(TextRange(0, 0), as_diagnostic(error, "the analysis of the document"))
            self._publish(document, [fault])
            return None
        if document.stale.is_set():
            return None
        self._publish(document, analysis.problems)
        return analysis

    def _publish(self, document: EditedDocument, errors: Sequence[LocatedError]) -> None:
        diagnostics = [_diagnostic(document, error) for error in errors]
        self.text_document_publish_diagnostics(
            types.PublishDiagnosticsParams(document.uri, diagnostics, document.version)
        )

    async def analysis(self, uri: str) -> tuple[EditedDocument, Analysis] | None:
        """Return the newest version of a document with its analysis; None once it is closed, and where that failed."""
        while (document := self._open.get(uri)) is not None:
            assert document.analysis is not None
            analysis = await asyncio.shield(document.analysis)
            if self._open.get(uri) is document:
                return None if analysis is None else (document, analysis)
        return None

    async def with_ir(self, function: Callable[_P, _T], *arguments: _P.args, **options: _P.kwargs) -> _T:
        """Return the result of a function that reads IR."""
        return await asyncio.get_running_loop().run_in_executor(self._reader, partial(function, *arguments, **options))

    def document(self, uri: str) -> EditedDocument | None:
        """Return an open document, which need not be analysed."""
        return self._open.get(uri)


def _diagnostic(document: EditedDocument, problem: LocatedError) -> types.Diagnostic:
    """Return an error as the protocol has it; notes with a place in the document are related information."""
    error = problem.error
    rows = (("expected", error.expected), ("found", error.found), ("remedy", error.remedy))
    # The editor shows the op that a note of upstream's shows again.
    notes = [note for note in error.notes if not note.startswith(CURRENT_OPERATION)]
    related = [information for note in notes if (information := _related(document, note)) is not None]
    plain = [note for note in notes if _related(document, note) is None]
    lines = [error.message, *(f"note: {note}" for note in plain), *(f"{n}: {text}" for n, text in rows if text)]
    severity = types.DiagnosticSeverity.Hint if problem.is_expected else types.DiagnosticSeverity.Error
    message = "\n".join(lines)
    if problem.is_expected:
        message = f"expected: {message}"
    range = document.range(problem.range)
    return types.Diagnostic(range, message, severity=severity, source=_SOURCE, related_information=related or None)


def _related(document: EditedDocument, note: str) -> types.DiagnosticRelatedInformation | None:
    """Return a note about a place of the document, None of any other."""
    match = _NOTE.match(note)
    if match is None:
        return None
    start = document.positions.starts[min(int(match[1]), len(document.positions.starts)) - 1] + int(match[2]) - 1
    location = types.Location(document.uri, document.range(TextRange(start, start)))
    return types.DiagnosticRelatedInformation(location, match[3])


def serve(server: IrServer) -> int:
    """Serve until the client says exit or closes the input; return 0 if it has said shutdown before, else 1."""
    # pygls closes the output at the end. Standard output itself is the protocol's, while a plug-in may print.
    with (
        open(os.dup(sys.stdin.fileno()), "rb") as stdin,
        open(os.dup(sys.stdout.fileno()), "wb") as stdout,
        redirect_stdout(sys.stderr),
    ):
        server.start_io(stdin, stdout)
    server.end()
    return 0 if server.protocol._shutdown else 1  # pyright: ignore[reportPrivateUsage]
