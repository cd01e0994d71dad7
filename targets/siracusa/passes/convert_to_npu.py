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
from ....dialects.core.machine.model import Engine, Machine
from ....dialects.core.verification.verifier import verify
from ....errors import Diagnostic
from ....ir import functions, where
from ....passes.core.base import Pass
from ....passes.map_engines import ATTRIBUTE
from ....runtime.interpreter import load_rules
from ..npu.conversion import Conversion
from ..npu.division import Division, divide, divisible
from ..npu.flow import Flow
from ..npu.prices import with_weights
from ..npu.room import Weights
from ..npu.sharing import Choice, Sharing
from ..npu.sources import Source, is_candidate, source_of


def convert_to_npu(module: ModuleOp, block: Block, engine: str, *, everything: bool = False) -> None:
    """
    Convert the kernels of a block of tensor-level ops that are assigned to the NPU, the engine `engine`.

    An attribute `engine` pins the assignment. Other kernels are assigned by modelled cycles, remaining epilogue
    included. If
    the NPU has a queue, the assignment minimises the makespan of concurrent kernels, and kernels may be split. With
    `everything` all supported kernels are converted. Raises Diagnostic for a pinned kernel that the NPU does not
    support,
    and for a module without a machine.
    """
    flow = Flow(block)
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
            _replace(_converted(source), engine)


@dataclass(frozen=True)
class Chosen:
    """Kernels assigned to the NPU, and those split between it and another engine."""

    taken: Set[Operation]
    divided: Mapping[Operation, tuple[Division, str]] = field(default_factory=dict[Operation, "tuple[Division, str]"])


@dataclass(frozen=True)
class Able:
    """
    Kernels that the NPU supports, and a converted representative per canonical key.

    Layers of a network repeat: costs are estimated once per key.
    """

    sources: dict[Operation, Source]
    models: dict[Hashable, Conversion]


def _divide(op: Operation, division: Division, other: str, engine: str) -> bool:
    """Split a kernel, with one part for the NPU; return whether that is legal."""
    part = divide(op, division, engine, other)
    if part is None:
        return False
    _replace(_converted(source_of(part)), engine)
    return True


def _able(block: Block, engine: str) -> Able:
    """Return the kernels that the NPU supports; converted representatives are inserted before them."""
    found = Able({}, {})
    for op in list(block.ops):
        hint = op.attributes.get(ATTRIBUTE)
        if not is_candidate(op) or (hint is not None and hint != StringAttr(engine)):
            continue
        try:
            source = source_of(op)
            if source.form not in found.models:
                found.models[source.form] = _converted(source)
        except Diagnostic:
            if hint is not None:
                raise
            continue
        found.sources[op] = source
    return found


def _converted(source: Source) -> Conversion:
    """Insert the NPU's form of a kernel before it and return it. Raises Diagnostic for an unsupported kernel."""
    conversion, op = Conversion(source), source.op
    try:
        verify(conversion.kernel)
    except Diagnostic as error:
        conversion.undo()
        raise Diagnostic(f"the NPU does not support '{op.name}': {error.message}", where=where(op)) from error
    return conversion


def _chosen(flow: Flow, able: Able, must: Set[Operation], name: str, machine: Machine) -> Chosen:
    """Return the kernels assigned to the NPU."""
    npu = next((each for each in machine.engines if each.name == name), None)
    if npu is None:
        return Chosen(must)
    prices = {form: _choice(model, npu, machine) for form, model in able.models.items()}
    found = ((op, source, prices[source.form]) for op, source in able.sources.items())
    choices = {op: replace(choice, image=source.x) for op, source, choice in found if choice is not None}
    taken = {op for op, choice in choices.items() if op in must or choice.is_faster}
    weights = Weights(flow, machine, npu)
    if not npu.queue:
        return Chosen(weights.fitted(taken | must, {}, choices)[0])
    free = {op: choice.elsewhere[0] for op, choice in choices.items() if op not in must and choice.elsewhere}
    sharing = Sharing(flow, machine, npu, choices, free.keys())
    taken = sharing.improved(taken)
    engines = {able.sources[op].form: other for op, other in free.items()}
    ways = {form: _ways(able.models[form], npu, other, machine) for form, other in engines.items()}
    divided = sharing.divided(taken, {op: ways[able.sources[op].form] for op in free})
    taken, divided = weights.fitted(taken | must, divided, choices)
    return Chosen(taken, {op: (each, free[op].name) for op, each in divided.items()})


def _ways(model: Conversion, npu: Engine, other: Engine, machine: Machine) -> list[Division]:
    """Return the splits of a kernel, empty if there are none."""
    found = divisible(model, npu, other, machine)
    return list(found.divisions()) if found is not None else []


def _choice(conversion: Conversion, npu: Engine, machine: Machine) -> Choice | None:
    """Return the cost of a kernel on the NPU and elsewhere; None if the machine's NPU does not run it."""
    op = conversion.op
    cycles = machine.cost(npu, conversion.kernel)
    if cycles is None:
        return None
    cycles = with_weights(cycles, conversion.kernel, npu, machine)
    others = [(each, with_weights(cost, op, each, machine)) for each, cost in _elsewhere(op, npu, machine)]
    rest = None
    if conversion.rest is not None:
        rest = min((cost for _, cost in _elsewhere(conversion.rest, npu, machine)), default=0)
    return Choice(conversion.source.x, cycles, rest, min(others, key=lambda each: each[1], default=None))


def _elsewhere(op: Operation, npu: Engine, machine: Machine) -> list[tuple[Engine, int]]:
    return [(engine, cost) for engine, cost in machine.engines_for(op) if engine != npu]


def _replace(conversion: Conversion, engine: str) -> None:
    op = conversion.op
    conversion.kernel.attributes[ATTRIBUTE] = StringAttr(engine)
    conversion.result.name_hint = op.results[0].name_hint
    inputs = [value.owner for value in op.operands]
    Rewriter.replace_op(op, [], [conversion.result])
    for made in inputs:
        if isinstance(made, tensor.PadOp) and not made.results[0].uses:
            Rewriter.erase_op(made)


@dataclass(frozen=True)
class ConvertToNpuPass(Pass):
    """
    Convert convolutions and matrix products of bytes with constant weights to kernels of the NPU.

    Dense or depthwise 1x1 or 3x3 windows, and matrix products, become `npu.conv` and `npu.matmul` with packed weights.
    Strides become slices before or after, or columns folded into channels. A requantisation is fused if the NPU
    computes it
    bit for bit; the remaining epilogue becomes an elementwise kernel on bytes or 32-bit sums. The attribute `engine`
    pins
    the assignment of a kernel; otherwise the machine's costs decide, transfers of weights included. If the NPU has a
    queue,
    kernels may be split to minimise the makespan. More kernels move to the NPU if weights exceed the far level. Run
    attach-machine before. `engine` is the name of the NPU among the machine's engines; `everything` converts all
    supported
    kernels. Run it after fuse-epilogues, and after convert-layout.
    """

    name = "convert-to-npu"

    engine: str = "npu"
    everything: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        load_rules(op)
        for function in functions(op):
            convert_to_npu(op, function.body.block, self.engine, everything=self.everything)
