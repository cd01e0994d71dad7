"""The interpreter: runs a module at any level on NumPy arrays; see docs/interpreter.md."""

from . import affine, arithmetic, atomics, branches, control, elementary, memory, structured, tensors
from .boundary import Session, boundary_inputs, load_rules, random_inputs, run_module
from .engine import Interpreter, run_op
from .observations import run_calls

__all__ = [
    "Interpreter",
    "Session",
    "boundary_inputs",
    "load_rules",
    "random_inputs",
    "run_calls",
    "run_module",
    "run_op",
]

_ALWAYS_LOADED = (affine, arithmetic, atomics, branches, control, elementary, memory, structured, tensors)
