"""Commands of RUN lines that run inside this process: opt-tool and filecheck."""

from __future__ import annotations

from ...driver.run_lines.filecheck import filecheck
from ...driver.run_lines.shell import Tool


def opt_tool(words: list[str]) -> int:
    """Run opt-tool and return its exit code."""
    from ....opt_tool import main

    return main(words[1:])


TOOLS: dict[str, Tool] = {"opt-tool": opt_tool, "filecheck": filecheck}
"""Command -> its function."""
