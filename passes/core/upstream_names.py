"""Passes that upstream MLIR calls otherwise."""

from __future__ import annotations

UPSTREAM_NAMES = {
    "loop-invariant-code-motion": "licm",
    "trivial-dce": "dce",
}
"""Name of a pass in `mlir-opt` -> that of the same pass here."""


def known_name(name: str) -> str:
    """Return the name of a pass here: of one that has another name upstream, its own; any other as it is."""
    return UPSTREAM_NAMES.get(name, name)
