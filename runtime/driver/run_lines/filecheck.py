"""The command filecheck inside this process."""

from __future__ import annotations


def filecheck(words: list[str]) -> int:
    """Run filecheck on its words and return its exit code."""
    from filecheck.main import main

    try:
        main(words)
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0
