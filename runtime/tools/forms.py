"""Forms of a quantised network, and the modelled cycles of each on a target."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ...errors import Diagnostic
from ...files import write_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from onnx import ModelProto


def forms_of(model: ModelProto) -> dict[str, ModelProto]:
    """Return a network in QDQ form in all forms that it has, by the names that `--form` gives them."""
    from ...frontend.quantize.network import read_network
    from ...frontend.quantize.qlinear import to_qlinear
    from ...frontend.quantize.shift_form import shift_form

    fused = read_network(model, is_quantised=True)
    to_qlinear(fused)
    forms = {"qdq": model, "qlinear": fused.model()}
    try:
        forms["requant-shift"] = shift_form(model, None).model
    except Diagnostic:
        # No layer has this form.
        pass
    return forms


def cycles_of(forms: Mapping[str, ModelProto], target: str) -> dict[str, int]:
    """
    Return the modelled cycles of a network's forms on a target, compiled with `--integers`.

    Raises Diagnostic where the target models no cycles, or refuses the network.
    """
    from ...compiler import Model, compile_model

    cycles: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for form, model in forms.items():
            path = Path(folder) / f"{form}.onnx"
            write_bytes(path, model.SerializeToString())
            modelled = compile_model(Model(path, integers=True), target).report["modelled_cycles"]
            if modelled is None:
                raise Diagnostic(
                    f"target '{target}' models no cycles",
                    expected="a target whose machine has costs, such as siracusa",
                    remedy="name the form with --form",
                )
            cycles[form] = modelled
    return cycles
