"""A decoder whose caches are state, run token by token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from onnx import ModelProto
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.verification.verifier import verify
from tilewright.frontend.importer import import_model
from tilewright.ir import Array, functions
from tilewright.passes.introduce_state import introduce_state

TOKENS = (3, 1, 4, 1, 5, 9)


def with_state(model: ModelProto, context: int, bucket: int = 0, added: int = 0) -> ModuleOp:
    module = import_model(model, rows=context, added=added)
    introduce_state(module, functions(module)[0], context, bucket)
    verify(module)
    return module


def stepped(run: Any, model: ModelProto, context: int, added: int = 1, tokens: Sequence[int] = TOKENS) -> list[Array]:
    masked = any(each.name == "attention_mask" for each in model.graph.input)
    mask = {"attention_mask": np.ones((1, context), np.int64)} if masked else {}
    calls = [
        {"tokens": np.array([tokens[at : at + added]]), "position": np.array([at])} | mask
        for at in range(0, len(tokens), added)
    ]
    return [run(call)["logits"] for call in calls]


def check_close(found: list[Array], expected: list[Array]) -> None:
    np.testing.assert_allclose(np.stack(found[: len(expected)]), np.stack(expected[: len(found)]), rtol=0, atol=1e-4)
