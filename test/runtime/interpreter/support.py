"""What the tests of the interpreter share."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.ir import Array
from tilewright.runtime.interpreter import run_module


def module(text: str) -> ModuleOp:
    """Return the verified module of a text."""
    parsed = parse_module(new_context(), text, "test.mlir")
    verify(parsed)
    return parsed


def run(text: str, **inputs: Any) -> list[Array]:
    """Return the results of the function `network` of a text."""
    return list(run_module(module(text), given(inputs)).values())


def given(inputs: Mapping[str, Any]) -> dict[str, Array]:
    """Return inputs as arrays."""
    return {name: np.asarray(value) for name, value in inputs.items()}
