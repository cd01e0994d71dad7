"""Headings of reports, as mlir-opt prints them."""

from __future__ import annotations

_RULE = f"===-{'-' * 73}-==="


def heading(title: str) -> list[str]:
    """Return the lines above a report."""
    return [_RULE, title.center(len(_RULE)).rstrip(), _RULE]
