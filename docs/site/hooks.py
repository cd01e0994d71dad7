"""Hooks of MkDocs: pages made from the code, pages of linked files, navigation, and links of names in code."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from tilewright.docs.site.flavour import python_markdown, unrendered
from tilewright.docs.site.highlighting import register
from tilewright.docs.site.links import ROOT, outside, rewritten, site_uri, source_page
from tilewright.docs.site.navigation import navigation
from tilewright.docs.site.pages import generated_pages

_LOGGER = logging.getLogger("mkdocs.hooks.site")
_PASSED_OVER = r"<a\b.*?</a>|<h\d.*?</h\d>|<pre.*?</pre>"
_NAME = r"[#!]?[a-z]\w*(?:[.-][\w-]+)+|tilewright(?: [a-z-]+)+|\w[\w.-]*(?:/[\w.-]*)+"
"""Names that are linked: of ops, passes, commands and files. Those of one word may mean something else."""
_LINKED_CODE = re.compile(rf"({_PASSED_OVER})|<code>({_NAME})</code>", re.DOTALL)


@dataclass
class _Site:
    """Pages of a build: the source of each that lies outside docs/, and the URL of each name that code links."""

    origins: dict[str, str] = field(default_factory=dict[str, str])
    urls: dict[str, str] = field(default_factory=dict[str, str])


_site = _Site()


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Let blocks of `mlir` be highlighted."""
    register()
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages made from the code, README and other files that pages link, and set the navigation."""
    _site.origins, _site.urls = {}, {}
    pages = list(generated_pages())
    for page in pages:
        if files.get_file_from_path(page.uri) is not None:
            raise PluginError(f"two pages have the place '{page.uri}'")
        file = File.generated(config, page.uri, content=page.text)
        files.append(file)
        for name, anchor in page.names:
            _site.urls.setdefault(name, f"{file.url}#{anchor}" if anchor else file.url)
    _add_linked(files, config)
    if config.nav is None:  # pyright: ignore[reportUnknownMemberType]
        generated = [page.uri for page in pages if "/" not in page.uri]
        uris = [file.src_uri for file in files.documentation_pages()]
        readme = (ROOT / "README.md").read_text(encoding="utf-8")
        config.nav = navigation(readme, uris, generated)  # pyright: ignore[reportAttributeAccessIssue]
    return files


def _add_linked(files: Files, config: MkDocsConfig) -> None:
    """Add README, and what pages link outside docs/: of Markdown a page, whose links are followed, else its text."""
    pending = {
        "README.md",
        *(path for file in files.documentation_pages() for path in outside(file.content_string, _origin(file))),
    }
    while pending:
        path = pending.pop()
        uri = site_uri(path)
        if files.get_file_from_path(uri) is not None:
            continue
        is_page = uri.endswith(".md")
        text = (ROOT / path).read_text(encoding="utf-8") if is_page else source_page(path)
        file = File.generated(config, uri, content=text)
        files.append(file)
        _site.urls[path] = file.url
        if is_page:
            _site.origins[uri] = path
            pending.update(outside(text, path))


def _origin(file: File) -> str:
    return _site.origins.get(file.src_uri, f"docs/{file.src_uri}")


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let links of a page lead to the site, and the page be read as GitHub reads it."""
    return rewritten(python_markdown(markdown), _origin(page.file), page.file.src_uri)


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """
    Link inline code that is the name of a pass, an op, a command or a file to its page, but on that page.

    Warns of blocks of Markdown that the page shows as text.
    """
    for line in unrendered(html):
        _LOGGER.warning("Doc file '%s' has a block that is not rendered: '%s'", page.file.src_uri, line)

    def link(match: re.Match[str]) -> str:
        url = "" if match[1] else _site.urls.get(match[2].removesuffix("/"), "")
        if not url or url.partition("#")[0] == page.url:
            return match[0]
        return f'<a href="{get_relative_url(url, page.url)}">{match[0]}</a>'

    return _LINKED_CODE.sub(link, html)
