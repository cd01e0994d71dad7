"""
Tilewright: a multi-level IR compiler for neural networks on small heterogeneous machines.

    import tilewright

    network = tilewright.load("net.onnx", target="host")
    outputs = network.run({"x": x})

`load`, `compile`, `check` and `quantize` do what the commands of the same names do, `opt` what opt-tool does, and
`load_passes` what its option `--load-pass` does (docs/python.md). What they need is imported when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .api import Network, check, compile, load, quantize
    from .errors import Diagnostic
    from .passes.core.opt import opt
    from .plugins import load_passes

    __version__: str

__all__ = ["Diagnostic", "Network", "__version__", "check", "compile", "load", "load_passes", "opt", "quantize"]

_HOME = {
    **dict.fromkeys(("Network", "check", "compile", "load", "quantize"), "api"),
    "Diagnostic": "errors",
    "load_passes": "plugins",
    "opt": "passes.core.opt",
}
"""Name -> the module that defines it."""


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version(__name__)
    if name not in _HOME:  # as modules of the package are before they are imported: nothing may be loaded
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
