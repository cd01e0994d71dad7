"""A fault of a pass: it negates the weights of an ONNX node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass

from tilewright.ir import array_of, dense, node_names


def change_weights(module: ModuleOp, node: str) -> None:
    """Negate the weights of an ONNX node wherever they are."""
    for op in module.walk():
        for name in ("value", "initial_value"):
            value: Any = op.properties.get(name)
            if node in node_names(op) and hasattr(value, "get_element_type"):
                op.properties[name] = dense(-array_of(value), value.get_element_type())


def plant_in(pass_class: type[ModulePass], node: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a pass negate the weights of an ONNX node after what it should do."""
    apply: Callable[[ModulePass, Context, ModuleOp], None] = pass_class.apply

    def faulty(self: ModulePass, context: Context, module: ModuleOp) -> None:
        apply(self, context, module)
        change_weights(module, node)

    monkeypatch.setattr(pass_class, "apply", faulty)
