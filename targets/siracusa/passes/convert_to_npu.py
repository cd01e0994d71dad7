"""Conversion of convolutions and matrix products to NPU kernels, by modelled makespan."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Set
from dataclasses import dataclass, field, replace

from xdsl.context import Context
from xdsl.dialects import tensor
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Block, Operation
from xdsl.rewriter import Rewriter

from ....dialects.core.machine.attribute import machine_of
from ....dialects.core.machine.engine import Engine
from ....dialects.core.machine.model import Machine
from ....dialects.core.verification.verifier import verify
from ....errors import Diagnostic
from ....ir import functions, where
from ....passes.core.base import Pass
from ....passes.map_engines import ATTRIBUTE
from ....passes.mapping.refusals import refuse
from ....runtime.interpreter import load_rules
from ..npu.capacity import WeightCapacity
from ..npu.conversion import Conversion
from ..npu.division import Division, divide, divisible
from ..npu.flow import KernelFlow
from ..npu.sharing import NpuChoice, Sharing
from ..npu.sources import Source, is_candidate, source_of
from ..npu.weight_costs import with_weights


def convert_to_npu(module: ModuleOp, block: Block, engine: str, *, everything: bool = False) -> None:
    """
    Convert the kernels of a block of tensor-level ops that are assigned to the NPU, the engine `engine`.

    An attribute `engine` pins the assignment. Other kernels are assigned by modelled cycles, remaining epilogue
    included. If the NPU has a queue, the assignment minimises the makespan of concurrent kernels, and kernels may be
    split. With `everything` all supported kernels are converted. Raises Diagnostic for a pinned kernel that the NPU
    does not support, and for a module without a machine.
    """
    flow = KernelFlow(block)
    able = _able(block, engine)
    must = {op for op in able.sources if everything or ATTRIBUTE in op.attributes}
    if len(must) == len(able.sources):
        chosen = Chosen(must)
    else:
        chosen = _chosen(flow, able, must, engine, machine_of(module))
    for model in able.models.values():
        model.undo()
    # In reverse order: the source's operand is replaced after it.
    for op, source in reversed(able.sources.items()):
        if op in chosen.divided and _divide(op, *chosen.divided[op], engine):
            continue
        if op in chosen.taken:
            kernel = _replace(_converted(source), engine)
            if op in chosen.reasons:
                refuse(kernel, *chosen.reasons[op])
        elif op in chosen.reasons:
            refuse(op, *chosen.reasons[op])
    for op, reason in able.declined.items():
        refuse(op, engine, reason)


@dataclass(frozen=True)
class Chosen:
    """
    Kernels assigned to the NPU, and those split between it and another engine.

    `reasons` has for kernels that both can run the engine that does not, and why.
    """

    taken: Set[Operation]
    divided: Mapping[Operation, tuple[Division, str]] = field(default_factory=dict[Operation, "tuple[Division, str]"])
    reasons: Mapping[Operation, tuple[str, str]] = field(default_factory=dict[Operation, "tuple[str, str]"])


@dataclass(frozen=True)
class Able:
    """
    Kernels that the NPU supports, and a converted representative per canonical key; why it declined others.

    Layers of a network repeat: costs are estimated once per key.
    """

    sources: dict[Operation, Source]
    models: dict[Hashable, Conversion]
    declined: dict[Operation, str]


def _divide(op: Operation, division: Division, other: str, engine: str) -> bool:
    """Split a kernel, with one part for the NPU; return whether that is legal."""
    part = divide(op, division, engine, other)
    if part is None:
        return False
    _replace(_converted(source_of(part)), engine)
    return True


def _able(block: Block, engine: str) -> Able:
    """Return the kernels that the NPU supports; converted representatives are inserted before them."""
    able = Able({}, {}, {})
    for op in filter(is_candidate, list(block.ops)):
        hint = op.attributes.get(ATTRIBUTE)
        if hint is not None and hint != StringAttr(engine):
            able.declined[op] = f"the attribute 'engine' names {hint}"
            continue
        try:
            source = source_of(op)
            if source.form not in able.models:
                able.models[source.form] = _converted(source)
        except Diagnostic as error:
            if hint is not None:
                raise
            able.declined[op] = _text(error)
            continue
        able.sources[op] = source
    return able


def _text(error: Diagnostic) -> str:
    parts = [f"expected {error.expected}" if error.expected else "", f"found {error.found}" if error.found else ""]
    return "; ".join([error.message, ", ".join(filter(None, parts))]).removesuffix("; ")


def _converted(source: Source) -> Conversion:
    """Insert the NPU's form of a kernel before it and return it. Raises Diagnostic for an unsupported kernel."""
    conversion, op = Conversion(source), source.op
    try:
        verify(conversion.kernel)
    except Diagnostic as error:
        conversion.undo()
        raise Diagnostic(f"the NPU does not support '{op.name}': {error.message}", where=where(op)) from error
    return conversion


def _chosen(flow: KernelFlow, able: Able, must: Set[Operation], name: str, machine: Machine) -> Chosen:
    """Return the kernels assigned to the NPU."""
    npu = next((engine for engine in machine.engines if engine.name == name), None)
    if npu is None:
        return Chosen(must)
    costs = {form: _choice(model, npu, machine) for form, model in able.models.items()}
    candidates = ((op, source, costs[source.form]) for op, source in able.sources.items())
    choices = {op: replace(choice, image=source.x) for op, source, choice in candidates if choice is not None}
    taken = {op for op, choice in choices.items() if op in must or choice.is_faster}
    capacity = WeightCapacity(flow, machine, npu)
    if not npu.queue:
        taken = capacity.fitted(taken | must, {}, choices)[0]
        return Chosen(taken, reasons=_reasons(able, choices, taken, npu, machine))
    free = {op: choice.elsewhere[0] for op, choice in choices.items() if op not in must and choice.elsewhere}
    sharing = Sharing(flow, machine, npu, choices, free.keys())
    taken = sharing.improved(taken)
    engines = {able.sources[op].form: other for op, other in free.items()}
    divisions = {form: _divisions(able.models[form], npu, other, machine) for form, other in engines.items()}
    divided = sharing.divided(taken, {op: divisions[able.sources[op].form] for op in free})
    taken, divided = capacity.fitted(taken | must, divided, choices)
    parts = {op: (division, free[op].name) for op, division in divided.items()}
    return Chosen(taken, parts, _reasons(able, choices, taken, npu, machine))


def _reasons(
    able: Able, choices: Mapping[Operation, NpuChoice], taken: Set[Operation], npu: Engine, machine: Machine
) -> dict[Operation, tuple[str, str]]:
    """Return for each kernel that the NPU supports the engine that does not run it, and why."""
    reasons: dict[Operation, tuple[str, str]] = {}
    for op, source in able.sources.items():
        choice = choices.get(op)
        if choice is None:
            reasons[op] = npu.name, machine.fault(npu, able.models[source.form].kernel)
            continue
        if choice.elsewhere is None:
            continue
        other, cycles = choice.elsewhere
        own = choice.on_npu
        if op in taken:
            reasons[op] = other.name, f"{cycles:,} cycles here, {own:,} on '{npu.name}'{_unless(own < cycles)}"
        else:
            reasons[op] = npu.name, f"{own:,} cycles here, {cycles:,} on '{other.name}'{_unless(cycles <= own)}"
    return reasons


def _unless(is_faster: bool) -> str:
    """Return the text of a choice that modelled cycles alone do not explain, empty if they do."""
    return "" if is_faster else ", but the makespan of concurrent kernels or the room for weights decided"


def _divisions(model: Conversion, npu: Engine, other: Engine, machine: Machine) -> list[Division]:
    """Return the splits of a kernel, empty if there are none."""
    splittable = divisible(model, npu, other, machine)
    return list(splittable.divisions()) if splittable is not None else []


def _choice(conversion: Conversion, npu: Engine, machine: Machine) -> NpuChoice | None:
    """Return the cost of a kernel on the NPU and elsewhere; None if the machine's NPU does not run it."""
    op = conversion.op
    cycles = machine.cost(npu, conversion.kernel)
    if cycles is None:
        return None
    cycles = with_weights(cycles, conversion.kernel, npu, machine)
    others = [(engine, with_weights(cost, op, engine, machine)) for engine, cost in _elsewhere(op, npu, machine)]
    rest, ahead = (_least(part, npu, machine) for part in (conversion.rest, conversion.ahead))
    return NpuChoice(
        conversion.source.x, cycles, rest, min(others, key=lambda other: other[1], default=None), ahead or 0
    )


def _least(op: Operation | None, npu: Engine, machine: Machine) -> int | None:
    """Return the cycles of a kernel on the fastest engine but the NPU, None for no kernel."""
    return None if op is None else min((cost for _, cost in _elsewhere(op, npu, machine)), default=0)


def _elsewhere(op: Operation, npu: Engine, machine: Machine) -> list[tuple[Engine, int]]:
    return [(engine, cost) for engine, cost in machine.engines_for(op) if engine != npu]


def _replace(conversion: Conversion, engine: str) -> Operation:
    """Replace a kernel by its converted form, and return the kernel on the NPU."""
    op = conversion.op
    conversion.kernel.attributes[ATTRIBUTE] = StringAttr(engine)
    if conversion.rest is not None:
        refuse(
            conversion.rest, engine, f"the epilogue of '{op.name}' has more than the requantisation that it computes"
        )
    conversion.result.name_hint = op.results[0].name_hint
    inputs = [value.owner for value in op.operands]
    Rewriter.replace_op(op, [], [conversion.result])
    for producer in inputs:
        if isinstance(producer, tensor.PadOp) and not producer.results[0].uses:
            Rewriter.erase_op(producer)
    return conversion.kernel


@dataclass(frozen=True)
class ConvertToNpuPass(Pass):
    """
    Convert convolutions and matrix products of bytes with constant weights to kernels of the NPU.

    Dense or depthwise 1x1 or 3x3 windows, and matrix products, become `npu.conv` and `npu.matmul` with packed weights.
    Other windows with channels last and one group become an `npu.matmul` of a matrix into whose rows a
    `linalg.generic` copies them (im2col).
    Strides become slices before or after, or columns folded into channels. A requantisation is fused if the NPU
    computes it bit for bit; the remaining epilogue becomes an elementwise kernel on bytes or 32-bit sums. The attribute
    `engine` pins the assignment of a kernel; otherwise the machine's costs decide, transfers of weights included. If
    the NPU has a queue, kernels may be split to minimise the makespan. More kernels move to the NPU if weights exceed
    the far level. Run attach-machine before. `engine` is the name of the NPU among the machine's engines; `everything`
    converts all supported kernels. Run it after fuse-epilogues, and after convert-layout.
    """

    name = "convert-to-npu"

    engine: str = "npu"
    everything: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        load_rules(op)
        for function in functions(op):
            convert_to_npu(op, function.body.block, self.engine, everything=self.everything)
