"""Requests and notifications of the language server protocol, and what answers them."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Protocol

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.uris import to_fs_path

from ...errors import Diagnostic
from .analysis import Analysis
from .completions import CompletionKind, complete
from .hover import hover_at
from .index import Occurrence, TextRange
from .lenses import RUN_TEST, lenses
from .outline import OutlineEntry, outline
from .run_lines import run_test
from .server import PAUSE, EditedDocument, IrServer

_KINDS = {
    CompletionKind.DIALECT: types.CompletionItemKind.Module,
    CompletionKind.OP: types.CompletionItemKind.Function,
    CompletionKind.TYPE: types.CompletionItemKind.Class,
    CompletionKind.PASS: types.CompletionItemKind.Function,
    CompletionKind.OPTION: types.CompletionItemKind.Property,
    CompletionKind.KEY: types.CompletionItemKind.Field,
    CompletionKind.NAME: types.CompletionItemKind.Variable,
}


def register(server: IrServer) -> None:
    """Register the requests and notifications that the server answers."""
    _register_documents(server)
    _register_navigation(server)
    _register_information(server)
    _register_commands(server)


def _register_documents(server: IrServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def _(params: types.DidOpenTextDocumentParams) -> None:
        server.changed(params.text_document.uri, 0)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def _(params: types.DidChangeTextDocumentParams) -> None:
        server.changed(params.text_document.uri, PAUSE)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def _(params: types.DidCloseTextDocumentParams) -> None:
        server.closed(params.text_document.uri)

    @server.feature(types.SHUTDOWN)
    def _(_: None) -> None:
        server.end()


class _AtPosition(Protocol):
    """Parameters of a request about a position in a document."""

    @property
    def text_document(self) -> types.TextDocumentIdentifier: ...
    @property
    def position(self) -> types.Position: ...


async def _occurrence(server: IrServer, params: _AtPosition) -> tuple[EditedDocument, Analysis, Occurrence] | None:
    """Return the name at a position, None where there is none."""
    answer = await server.analysis(params.text_document.uri)
    if answer is None:
        return None
    document, analysis = answer
    occurrence = analysis.index.occurrence_at(document.offset(params.position))
    return None if occurrence is None else (document, analysis, occurrence)


def _register_navigation(server: IrServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def _(params: types.DefinitionParams) -> types.Location | None:
        if (place := await _occurrence(server, params)) is None:
            return None
        document, _, occurrence = place
        return types.Location(document.uri, document.range(occurrence.entity.definition))

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def _(params: types.ReferenceParams) -> list[types.Location]:
        if (place := await _occurrence(server, params)) is None:
            return []
        document, _, occurrence = place
        entity = occurrence.entity
        ranges = entity.occurrences if params.context.include_declaration else sorted(entity.uses)
        return [types.Location(document.uri, document.range(range)) for range in ranges]

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT)
    async def _(params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
        if (place := await _occurrence(server, params)) is None:
            return []
        document, _, occurrence = place
        return [types.DocumentHighlight(document.range(range)) for range in occurrence.entity.occurrences]

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def _(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        if (place := await _occurrence(server, params)) is None:
            return None
        document, _, occurrence = place
        return types.PrepareRenamePlaceholder(document.range(occurrence.range), occurrence.entity.name)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    async def _(params: types.RenameParams) -> types.WorkspaceEdit | None:
        if (place := await _occurrence(server, params)) is None:
            return None
        document, analysis, occurrence = place
        try:
            replacements = analysis.index.rename(occurrence.entity, params.new_name)
        except Diagnostic as error:
            raise _refusal(error) from error
        edits = [types.TextEdit(document.range(range), text) for range, text in replacements]
        return types.WorkspaceEdit(changes={document.uri: edits})


def _refusal(error: Diagnostic) -> JsonRpcException:
    """Return the error of a request that cannot be fulfilled, for the editor to show."""
    details = [part for part in (error.expected, error.remedy) if part]
    return JsonRpcException(": ".join([error.message, *details]), types.LSPErrorCodes.RequestFailed)


def _register_information(server: IrServer) -> None:
    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def _(params: types.HoverParams) -> types.Hover | None:
        if (answer := await server.analysis(params.text_document.uri)) is None:
            return None
        document, analysis = answer
        text = await server.with_ir(hover_at, analysis, document.offset(params.position))
        if text is None:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, text[1])
        return types.Hover(content, document.range(text[0]))

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def _(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        if (answer := await server.analysis(params.text_document.uri)) is None:
            return []
        document, analysis = answer
        return [_symbol(document, entry) for entry in outline(analysis.index)]

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def _(params: types.CodeLensParams) -> list[types.CodeLens]:
        if (answer := await server.analysis(params.text_document.uri)) is None:
            return []
        document, analysis = answer
        shown: list[types.CodeLens] = []
        for lens in await server.with_ir(lenses, analysis.index):
            start = types.Position(lens.line, 0)
            arguments = [document.uri, lens.only] if lens.command else None
            command = types.Command(lens.title, lens.command, arguments=arguments)
            shown.append(types.CodeLens(types.Range(start, start), command))
        return shown

    @server.feature(
        types.TEXT_DOCUMENT_COMPLETION, types.CompletionOptions(trigger_characters=[".", "%", "@", "^", "#", "!", "-"])
    )
    async def _(params: types.CompletionParams) -> list[types.CompletionItem]:
        document = server.document(params.text_document.uri)
        if document is None:
            return []
        offset = document.offset(params.position)
        items: list[types.CompletionItem] = []
        for candidate in complete(document.text, offset, server.words):
            edit = types.TextEdit(document.range(TextRange(offset - candidate.replaced, offset)), candidate.text)
            kind, detail = _KINDS[candidate.kind], candidate.detail or None
            items.append(types.CompletionItem(candidate.text, kind=kind, detail=detail, text_edit=edit))
        return items


def _symbol(document: EditedDocument, entry: OutlineEntry) -> types.DocumentSymbol:
    kind = types.SymbolKind.Function if entry.is_function else types.SymbolKind.Variable
    return types.DocumentSymbol(
        entry.name,
        types.SymbolKind.Namespace if entry.is_chunk else kind,
        document.range(entry.whole),
        document.range(entry.name_range),
        detail=entry.detail or None,
        children=[_symbol(document, child) for child in entry.children],
    )


def _register_commands(server: IrServer) -> None:
    @server.command(RUN_TEST)
    async def _(uri: str, line: int | None = None) -> dict[str, Any]:
        document, path = server.document(uri), to_fs_path(uri)
        if document is None or path is None:
            raise _refusal(Diagnostic("the test is not open, or no file", remedy="open it, and save it once"))
        try:
            outcome = await run_test(document.text, Path(path), line)
        except Diagnostic as error:
            raise _refusal(error) from error
        kind = types.MessageType.Info if outcome.passed else types.MessageType.Error
        server.window_log_message(types.LogMessageParams(kind, outcome.text))
        result = "passed" if outcome.passed else f"failed: {outcome.text.partition(chr(10))[0]}"
        server.window_show_message(types.ShowMessageParams(kind, f"{Path(path).name} {result}"))
        return {"passed": outcome.passed, "output": outcome.text}
