"""Conversion of the kernels of a block to the layouts of least cost."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from ...dialects.core.kernel import is_shaped
from ...ir import element_of, functions, numpy_type, shape_of
from .labelling import Cost, End, Label, LabelledValue, Labelling, solve
from .orders import Order, composed, identity, memory_order, relative
from .rules import RESULT, RULES, VIEWS, LayoutForm, LayoutRule
from .state import Layouts, end_of, is_constant, is_transpose, origin, permutation_of, values_of
from .views import keep_axes

_MOST_FORMS = 8
"""Limit of the layouts of one op. More arise where transposes of a cycle do not compose to the identity."""


def convert_layouts(module: ModuleOp, rules: Sequence[LayoutRule]) -> None:
    """
    Convert the ops of every function to the layouts that need the fewest transposes, then the fewest bytes of them.

    `rules` says which layouts the kernels of a target demand; ops free in their layout, and those that have only the
    one that they have, follow from `RULES`. Blocks of conditionals and loops are converted each by itself.
    """
    for function in functions(module):
        for block in nested_blocks(function.body.block):
            keep_axes(block)
            _rewrite(LayoutCandidates(block, (*rules, *RULES)))


def nested_blocks(block: Block) -> list[Block]:
    """Return a block and the blocks of its conditionals and loops."""
    nested = [op for op in block.walk() if isinstance(op, scf.IfOp | scf.ForOp | scf.WhileOp)]
    return [block, *(inner for op in nested for region in op.regions for inner in region.blocks)]


@dataclass
class LayoutCandidates:
    """Forms that the ops of a block can have: those demanded somewhere, as far as ops can follow them."""

    block: Block
    rules: Sequence[LayoutRule]
    rule_of: dict[Operation, LayoutRule] = field(default_factory=dict[Operation, LayoutRule])
    forms: dict[Operation, list[LayoutForm]] = field(default_factory=dict[Operation, list[LayoutForm]])
    _queue: deque[tuple[SSAValue, Order]] = field(default_factory=deque[tuple[SSAValue, Order]])

    def __post_init__(self) -> None:
        for op in self.block.ops:
            rule = find_rule(op, self.rules)
            if rule is not None and op.results:  # an op on buffers has none, and keeps its layouts
                self.rule_of[op] = rule
                self.forms[op] = []
        for op in self.block.ops:
            if op in self.rule_of or is_transpose(op):
                self._start(op)
        self._propagate()
        for op, forms in self.forms.items():
            if not forms:
                orders = [identity(len(shape_of(value))) if is_shaped(value) else None for value in values_of(op)]
                forms.append(LayoutForm(tuple(orders), identity(len(shape_of(op.results[0])))))

    def is_fixed(self, op: Operation) -> bool:
        """Return whether an op has its layouts: one without a rule, or of another block."""
        return op not in self.rule_of and not (is_transpose(op) and op.parent is self.block)

    def _start(self, op: Operation) -> None:
        """Propagate from the forms that an op has whatever its neighbours have, and from fixed neighbours."""
        for form in self.rule_of[op].forms(op) if op in self.rule_of else ():
            self._add(op, form)
        for value in (*values_of(op), *op.results):
            if is_shaped(value) and any(self.is_fixed(end) for end, _ in ends_of(value, self.block)):
                self._queue.append((value, identity(len(shape_of(value)))))
            elif is_shaped(value) and not isinstance(value, OpResult):
                self._queue.append((value, identity(len(shape_of(value)))))

    def _add(self, op: Operation, form: LayoutForm) -> None:
        if form in self.forms[op] or len(self.forms[op]) >= _MOST_FORMS:
            return
        self.forms[op].append(form)
        pairs = zip(values_of(op), form.operands, strict=True)
        self._queue.extend((value, order) for value, order in pairs if order)
        self._queue.append((op.results[0], form.result))

    def _propagate(self) -> None:
        seen: set[tuple[SSAValue, Order]] = set()
        while self._queue:
            value, order = self._queue.popleft()
            if (value, order) in seen or is_constant(value):
                continue
            seen.add((value, order))
            for op, index in ends_of(value, self.block):
                rule = self.rule_of.get(op)
                form = rule.follow(op, index, order) if rule else None
                if form is not None:
                    self._add(op, form)
                elif is_transpose(op) and not self.is_fixed(op):
                    self._cross(op, index, order)

    def _cross(self, op: Operation, index: int, order: Order) -> None:
        """Propagate a layout to the other side of a transpose."""
        if index == RESULT:
            self._queue.append((op.operands[0], composed(permutation_of(op), order)))
        elif index == 0:
            self._queue.append((op.results[0], relative(permutation_of(op), order)))


def find_rule(op: Operation, rules: Sequence[LayoutRule] = RULES) -> LayoutRule | None:
    """Return the first rule that applies to an op, None for an op that has its layouts."""
    return next((rule for rule in rules if rule.applies(op)), None)


def neighbours(op: Operation, index: int, order: Order) -> list[tuple[SSAValue, Order]] | None:
    """Return the layouts of an op's values if one has a layout, None where it cannot have that."""
    rule = find_rule(op)
    if rule is None:
        return None
    form = rule.follow(op, index, order)
    listed = [form for form in rule.forms(op) if (form.result if index == RESULT else form.operands[index]) == order]
    form = form or next(iter(listed), None)
    if form is None:
        return None
    pairs = zip(values_of(op), form.operands, strict=True)
    return [(op.results[0], form.result), *((value, own) for value, own in pairs if own is not None)]


def bytes_of(value: SSAValue) -> int:
    """Return the bytes of a tensor."""
    return numpy_type(element_of(value)).itemsize * prod(shape_of(value))


def ends_of(value: SSAValue, block: Block) -> Iterator[tuple[Operation, int]]:
    """Yield the ops that produce and use a value, with the indices that it has there."""
    if isinstance(value, OpResult) and not is_constant(value):
        yield value.op, RESULT
    for use in value.uses:
        yield end_of(use, block)


@dataclass
class Problem:
    """
    The labelling problem of a block: layouts up to views, of values up to transposes.

    A transpose and its operand are one value, whose layouts are those of the operand. `classes` holds the forms of each
    node, those that differ by views together.
    """

    candidates: LayoutCandidates
    nodes: dict[Operation, int] = field(default_factory=dict[Operation, int])
    classes: list[list[list[LayoutForm]]] = field(default_factory=list[list[list[LayoutForm]]])
    forms: list[list[tuple[Label, ...]]] = field(default_factory=list[list[tuple[Label, ...]]])
    values: list[LabelledValue] = field(default_factory=list[LabelledValue])
    subjects: list[SSAValue] = field(default_factory=list[SSAValue])
    """The value that each of `values` stands for."""
    _fixed: dict[Label, int] = field(default_factory=dict[Label, int])

    def __post_init__(self) -> None:
        places = {op: place for place, op in enumerate(self.candidates.block.ops)}
        values: dict[SSAValue, None] = {}
        for op, forms in self.candidates.forms.items():
            grouped: dict[tuple[Label, ...], list[LayoutForm]] = {}
            for form in forms:
                grouped.setdefault(self._labels(op, form), []).append(form)
            self.nodes[op] = len(self.forms)
            self.forms.append(list(grouped))
            self.classes.append(list(grouped.values()))
            shaped = [value for value in (*values_of(op), op.results[0]) if is_shaped(value)]
            values |= dict.fromkeys(origin(value, self.candidates.block)[0] for value in shaped)
        transposes = [op for op in places if is_transpose(op)]
        values |= dict.fromkeys(origin(op.results[0], self.candidates.block)[0] for op in transposes)
        for value in values:
            if not is_constant(value):
                self._add(value, places)

    def _add(self, value: SSAValue, places: dict[Operation, int]) -> None:
        shape = shape_of(value)
        producer = self._end_of(memory_order(shape, identity(len(shape))))
        if isinstance(value, OpResult) and value.op in self.nodes:
            producer = End(self.nodes[value.op], RESULT)
        users: dict[End, None] = {}
        for op, index, order in self._users(value):
            node = self.nodes.get(op)
            if node is None:
                users[self._end_of(memory_order(shape, order))] = None
            elif self.forms[node][0][index] is not None:
                users[End(node, index)] = None
        place = places.get(value.op, -1) if isinstance(value, OpResult) else -1
        self.subjects.append(value)
        self.values.append(LabelledValue(producer, tuple(users), self._cost(value, len(places) - place)))

    def _users(self, value: SSAValue) -> Iterator[tuple[Operation, int, Order]]:
        """Yield the users of a value and of its transposes, and the layout of the value that is row-major there."""
        pending = [(value, identity(len(shape_of(value))))]
        while pending:
            view, order = pending.pop()
            for use in view.uses:
                op, index = end_of(use, self.candidates.block)
                if self.candidates.is_fixed(op) or op in self.nodes:
                    yield op, index, order
                elif index == 0:
                    pending.append((op.results[0], composed(order, permutation_of(op))))

    def _end_of(self, label: Label) -> End:
        """Return an end that has one layout."""
        if label not in self._fixed:
            self._fixed[label] = len(self.forms)
            self.forms.append([(label,)])
            self.classes.append([])
        return End(self._fixed[label], 0)

    def _cost(self, value: SSAValue, left: int) -> Cost:
        """Return the cost of a copy: 1, then its bytes; among equals, transposes stay where they are, or come late."""
        is_source = any(is_transpose(use.operation) and use.index == 0 for use in value.uses)
        return 1, bytes_of(value), 0 if is_source else left, 0

    def labelling(self) -> Labelling:
        """Return the problem; forms with other layouts than row-major ones cost least."""
        form_costs: dict[tuple[int, int], Cost] = {}
        for node, classes in enumerate(self.classes):
            for index, forms in enumerate(classes):
                if not any(form.is_plain for form in forms):
                    form_costs[node, index] = (0, 0, 0, 1)
        return Labelling(self.forms, self.values, form_costs)

    def _labels(self, op: Operation, form: LayoutForm) -> tuple[Label, ...]:
        """Return the memory orders of a form's operands and result, None where an operand may have any."""
        operands = [
            None if order is None or is_constant(value) else self._label(value, order)
            for value, order in zip(values_of(op), form.operands, strict=True)
        ]
        return (*operands, self._label(op.results[0], form.result))

    def _label(self, value: SSAValue, order: Order) -> Label:
        """Return the memory order of a value's origin."""
        source, permutation = origin(value, self.candidates.block)
        return memory_order(shape_of(source), composed(permutation, order))


def _rewrite(candidates: LayoutCandidates) -> None:
    problem = Problem(candidates)
    choice = solve(problem.labelling())
    chosen = {op: problem.classes[node][choice[node]] for op, node in problem.nodes.items()}
    state = Layouts(candidates.block)
    for op in list(candidates.block.ops):
        state.current = op
        if op in chosen:
            candidates.rule_of[op].rewrite(state, op, _nearest(state, op, chosen))
        elif is_transpose(op):
            _convert_transpose(state, op, chosen)
    state.erase_unused()


def _convert_transpose(state: Layouts, op: Operation, chosen: Mapping[Operation, Sequence[LayoutForm]]) -> None:
    """Replace a transpose by its origin in another layout; it stays where it is the first to make that."""
    result = op.results[0]
    plain = identity(len(shape_of(result)))
    uses = [use for use in result.uses if not is_transpose(use.operation) or use.operation.parent is not state.block]
    ends = [end_of(use, state.block) for use in uses]
    wanted = [form.operands[index] for user, index in ends for form in chosen.get(user, ())]
    is_read = None in wanted or plain in wanted or any(user not in chosen for user, _ in ends)
    source, order = origin(result, state.block)
    if is_read and op.operands[0] is source and state.order_of(source) == plain and not state.has(source, order):
        state.add(source, order, result)
        return
    if is_read:
        state.given(source, order)
    state.dead.append(op)


def _nearest(state: Layouts, op: Operation, chosen: Mapping[Operation, Sequence[LayoutForm]]) -> LayoutForm:
    """
    Return the form with the fewest views, of those that differ by views.

    Operands count that are produced so, and users that demand the result so. Views stay what they are.
    """
    ends = [end_of(use, state.block) for use in op.results[0].uses]
    demands = [(chosen[user], index) for user, index in ends if user in chosen]
    demanded = [forms[0].operands[index] for forms, index in demands if len(forms) == 1]

    def key(form: LayoutForm) -> tuple[bool, int, bool]:
        pairs = zip(values_of(op), form.operands, strict=True)
        exact = sum(order == state.order_of(value) for value, order in pairs if order and not is_constant(value))
        is_view = isinstance(op, VIEWS) and form.result == identity(len(form.result))
        return is_view, exact + demanded.count(form.result), not form.is_plain

    forms = chosen[op]
    return max(forms, key=key) if len(forms) > 1 else forms[0]
