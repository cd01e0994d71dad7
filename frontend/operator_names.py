"""Operators of a model by name: those that are not handled, in categories, each with its remedy."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from onnx import NodeProto, defs

from ..dialects.onnx import op_class, op_types
from ..dialects.onnx.facts import Trait, having
from ..dialects.onnx.registry import key_of
from ..dialects.onnx.runtime_operators import RUNTIME_OPERATORS
from ..errors import Diagnostic, did_you_mean

CLASSICAL, TRAINING = "ai.onnx.ml", "ai.onnx.preview.training"

_LAYOUTS = ("com.microsoft.nchwc", "com.ms.internal.nhwc")
"""Domains of operators in a layout that ONNX Runtime chooses for the machine it runs on."""


class Complaint(NamedTuple):
    """Statement that an operator is not handled, and its remedy."""

    text: str
    remedy: str


def unknown_operators(nodes: Sequence[NodeProto]) -> dict[Complaint, list[str]]:
    """Give every node the domain of its schema; return the operators that are not handled with the nodes' names."""
    complaints: dict[Complaint, list[str]] = {}
    for node in nodes:
        if complaint := _complaint(node):
            complaints.setdefault(complaint, []).append(node.name)
    return complaints


def check_operators(nodes: Sequence[NodeProto]) -> None:
    """Give every node the domain of its schema. Raises one Diagnostic that names all operators not handled."""
    written = {node.name: "::".join(filter(None, (node.domain, node.op_type))) for node in reversed(nodes)}
    unknown = unknown_operators(nodes)
    if not unknown:
        return
    first = [names[0] for names in unknown.values()]
    remedies = dict.fromkeys(complaint.remedy for complaint in unknown)
    notes = [f'node "{name}": {complaint.text}' for name, complaint in zip(first, unknown, strict=True)]
    raise Diagnostic(
        f"{len(first)} operator{'s are' if len(first) > 1 else ' is'} not handled",
        where=f'node "{first[0]}"',
        expected="operators of ONNX, or those of others that docs/import.md lists",
        found=", ".join(written[name] for name in first),
        remedy="; ".join(remedies),
        notes=notes,
    )


def _complaint(node: NodeProto) -> Complaint | None:
    """Return the complaint about a node's operator, None for a handled one; give its node the domain of the schema."""
    name, domain = node.op_type, "" if node.domain == "ai.onnx" else node.domain
    shown = f"{name} of the domain {domain}" if domain else name
    is_other = domain in (CLASSICAL, TRAINING) and key_of((domain, name)) not in having(Trait.HANDLED)
    if is_other and defs.has(name, domain):
        return Complaint(f"{shown} is an operator of ONNX Runtime that is not supported", _remedy(domain))
    if (cls := op_class(name, domain)) is not None:
        node.domain, node.op_type = cls.SCHEMA.domain, cls.SCHEMA.name
        return None
    if name in RUNTIME_OPERATORS.get(domain, ()):
        return Complaint(f"{shown} is an operator of ONNX Runtime that is not supported", _remedy(domain))
    text = "; ".join(filter(None, (f"{shown} is unknown", did_you_mean(name, op_types(domain)))))
    return Complaint(text, "export the model with operators that are handled")


def _remedy(domain: str) -> str:
    """Return the remedy for operators of a domain that ONNX Runtime has and we do not."""
    if domain == CLASSICAL:
        return "convert the classical model to operators on tensors, as hummingbird-ml does, or compute it elsewhere"
    if domain == TRAINING:
        return "export the network without the step of its training"
    if domain in _LAYOUTS:
        return "save the model with graph_optimization_level = ORT_ENABLE_EXTENDED: ORT_ENABLE_ALL is for one machine"
    return "save the model with graph_optimization_level = ORT_ENABLE_BASIC, or export it with operators of ONNX"
