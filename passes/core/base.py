"""The base of every pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from xdsl.passes import ModulePass


@dataclass(frozen=True)
class Pass(ModulePass):
    """
    A named rewrite of a module; its dataclass fields are its options.

    `passes/foo_bar.py` defines `FooBarPass`, whose `name` is `foo-bar`. The first line of the class docstring is what
    `--list-passes` shows, the whole of it what `--help-pass=foo-bar` shows. The logic is a plain function above the
    class; `apply` only calls it. A pass that cannot do its work raises `Diagnostic` and may leave the module half
    rewritten: the pass manager prints what went in.
    """

    places_operands: ClassVar[bool] = False
    """True for a pass that brings operands of kernels to the memories of their engines; kernels before it are whole."""


def places_operands(instance: ModulePass) -> bool:
    """Return whether a pass brings operands of kernels to the memories of their engines."""
    return isinstance(instance, Pass) and instance.places_operands
