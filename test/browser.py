"""A browser for tests of pages: Debian's chromium, where there is one."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from html import escape, unescape
from pathlib import Path
from typing import Any

import pytest

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="no browser: install Debian's chromium")
NARROWEST = 500
"""Pixels of the narrowest window."""
FOREIGN = r"""(src|href)=["'](?!data:)|@import|url\(|https?://(?!www\.w3\.org/2000/svg)"""
"""What a page in one file does not have: references to other files and hosts."""


def dump(page: Path, *, place: str = "", width: int = 1280) -> tuple[str, str]:
    """Return the page as a browser of a width has it after its scripts have run, and what they wrote to the console."""
    assert BROWSER is not None
    with tempfile.TemporaryDirectory() as own:
        size = f"--window-size={width},2000"
        flags = (*QUIET, size, f"--user-data-dir={own}", "--enable-logging=stderr", "--virtual-time-budget=2000")
        words = [BROWSER, *flags, "--dump-dom", f"{page.as_uri()}{place}"]
        result = subprocess.run(words, capture_output=True, text=True, timeout=120, check=True)
    return result.stdout, "\n".join(line for line in result.stderr.splitlines() if "CONSOLE" in line)


def probed(text: str, probe: str, folder: Path, *, place: str = "", width: int = 1280) -> Any:
    """
    Return the value of an expression, as JSON, at the end of a page, which writes nothing to the console.

    A page narrower than a window can be is in a frame of another one, and has no `place`.
    """
    script = f"parent.document.body.dataset.found = JSON.stringify((() => {{ {probe} }})());"
    own = text.replace("</body>", f"<script>{script}</script></body>")
    if width < NARROWEST:
        style = f"border: 0; width: {width}px; height: 2000px"
        own = f'<!DOCTYPE html><body><iframe style="{style}" srcdoc="{escape(own)}"></iframe></body>'
    (page := folder / "page.html").write_text(own, encoding="utf-8")
    shown, console = dump(page, place=place, width=max(width, NARROWEST))
    assert console == ""
    said = re.search(r'data-found="([^"]*)"', shown)
    assert said is not None
    return json.loads(unescape(said[1]))
