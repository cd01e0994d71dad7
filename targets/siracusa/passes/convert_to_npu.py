"""Convolutions and matrix products become kernels of the NPU where it can do them, and does them faster."""

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
    Convert the kernels of a block of tensor-level ops that the NPU, the machine's engine of that name, is to do.

    A kernel whose attribute `engine` names it must be one that it can do, one that names another is left alone. Of the
    rest those are converted that take fewer modelled cycles so than on the fastest other engine, what is left of their
    epilogue included; where the NPU has a queue, fewer or more of those that may run at once, as they are done first,
    and parts of those for which the other engine has time. With `everything` all that the NPU can do are. Raises
    Diagnostic where the NPU cannot do a kernel that names it, and where there is no machine to ask.
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
    # From the last to the first: what a source reads is replaced after it.
    for op, source in reversed(able.sources.items()):
        if op in chosen.divided and _divide(op, *chosen.divided[op], engine):
            continue
        if op in chosen.taken:
            _replace(_converted(source), engine)


@dataclass(frozen=True)
class Chosen:
    """The kernels that the NPU is to do, and those that it and another engine do together."""

    taken: Set[Operation]
    divided: Mapping[Operation, tuple[Division, str]] = field(default_factory=dict[Operation, "tuple[Division, str]"])


@dataclass(frozen=True)
class Able:
    """
    The kernels of a block that the NPU can do, and for each form of these what stands for the first of them.

    Layers of a network are alike: what a kernel costs is found once for each form.
    """

    sources: dict[Operation, Source]
    models: dict[Hashable, Conversion]


def _divide(op: Operation, division: Division, other: str, engine: str) -> bool:
    """Let two parts stand for a kernel, one of them for the NPU; returns whether that is possible."""
    part = divide(op, division, engine, other)
    if part is None:
        return False
    _replace(_converted(source_of(part)), engine)
    return True


def _able(block: Block, engine: str) -> Able:
    """Return the kernels that the NPU can do; the ops that stand for models are inserted before these."""
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
    """Insert the NPU's form of a kernel before it and return it. Raises Diagnostic where the NPU cannot run it."""
    conversion, op = Conversion(source), source.op
    try:
        verify(conversion.kernel)
    except Diagnostic as error:
        conversion.undo()
        raise Diagnostic(f"the NPU cannot do '{op.name}': {error.message}", where=where(op)) from error
    return conversion


def _chosen(flow: Flow, able: Able, must: Set[Operation], name: str, machine: Machine) -> Chosen:
    """Return the kernels that the NPU is to do."""
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
    """Return the ways to divide a kernel, none where it cannot be."""
    found = divisible(model, npu, other, machine)
    return list(found.divisions()) if found is not None else []


def _choice(conversion: Conversion, npu: Engine, machine: Machine) -> Choice | None:
    """Return the costs of a kernel on the NPU and elsewhere; None where the machine's NPU does not run it."""
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
    Turn convolutions and matrix products of bytes with constant weights into kernels of the NPU.

    Windows of 1x1 or 3x3, dense or depthwise, and products of rows with a matrix can be done: `npu.conv` and
    `npu.matmul`, with packed weights; strides by leaving out pixels before or after, or by columns that become
    channels. Requantisation becomes the kernel's own where the NPU does it bit for bit; what it does not is left as an
    elementwise kernel, after bytes or after sums of 32 bits. Which kernels are converted say their attributes `engine`,
    or else the machine's costs, that of fetching weights included, and, where the NPU has a queue, what it and the
    others can do at once: a kernel may be divided between the NPU and another engine. It does more where weights have
    no room elsewhere. Run attach-machine before. `engine` is the name of the NPU among the machine's engines;
    `everything` converts all that it can do. Run it after fuse-epilogues, and after convert-layout.
    """

    name = "convert-to-npu"

    engine: str = "npu"
    everything: bool = False

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        load_rules(op)
        for function in functions(op):
            convert_to_npu(op, function.body.block, self.engine, everything=self.everything)
