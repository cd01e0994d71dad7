"""Conversion of the kernels of a block to the layouts of least cost."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects import arith, scf, tensor
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, OpResult, SSAValue

from ...dialects.core.kernel import is_shaped
from ...ir import element_of, functions, numpy_type, shape_of
from .labelling import Cost, End, Label, Labelling, Value, solve
from .orders import Order, identity, memory_order
from .rules import RESULT, RULES, VIEWS, Form, Rule
from .state import Layouts

_MOST_FORMS = 8
"""Limit of the layouts of one op. More arise where transposes of a cycle do not compose to the identity."""


def convert_layouts(module: ModuleOp, rules: Sequence[Rule]) -> None:
    """
    Convert the ops of every function to the layouts that need the fewest transposes, then the fewest bytes of them.

    `rules` says which layouts the kernels of a target demand; ops free in their layout, and those that have only the
    one that they have, follow from `RULES`. Blocks of conditionals and loops are converted each by itself.
    """
    for function in functions(module):
        for block in _blocks(function.body.block):
            _rewrite(Candidates(block, (*rules, *RULES)))


def _blocks(block: Block) -> list[Block]:
    """Return a block and the blocks of its conditionals and loops."""
    nested = [op for op in block.walk() if isinstance(op, scf.IfOp | scf.ForOp | scf.WhileOp)]
    return [block, *(inner for op in nested for region in op.regions for inner in region.blocks)]


@dataclass
class Candidates:
    """Forms that the ops of a block can have: those demanded somewhere, as far as ops can follow them."""

    block: Block
    rules: Sequence[Rule]
    rule_of: dict[Operation, Rule] = field(default_factory=dict[Operation, Rule])
    forms: dict[Operation, list[Form]] = field(default_factory=dict[Operation, list[Form]])
    _queue: deque[tuple[SSAValue, Order]] = field(default_factory=deque[tuple[SSAValue, Order]])

    def __post_init__(self) -> None:
        for op in self.block.ops:
            rule = next((rule for rule in self.rules if rule.applies(op)), None)
            if rule is None:
                continue
            self.rule_of[op] = rule
            self.forms[op] = []
        for op, rule in self.rule_of.items():
            for form in rule.forms(op):
                self._add(op, form)
            for value in (*op.operands, *op.results):
                if is_shaped(value) and self.has_fixed_end(value):
                    self._queue.append((value, identity(len(shape_of(value)))))
        self._propagate()
        for op, forms in self.forms.items():
            if not forms:
                orders = [identity(len(shape_of(value))) if is_shaped(value) else None for value in op.operands]
                forms.append(Form(tuple(orders), identity(len(shape_of(op.results[0])))))

    def has_fixed_end(self, value: SSAValue) -> bool:
        """Return whether an op without a rule, or one of another block, produces or uses a value."""
        if not isinstance(value, OpResult) or (value.op not in self.rule_of and not is_constant(value)):
            return True
        return any(use.operation not in self.rule_of for use in value.uses)

    def _add(self, op: Operation, form: Form) -> None:
        if form in self.forms[op] or len(self.forms[op]) >= _MOST_FORMS:
            return
        self.forms[op].append(form)
        self._queue.extend((value, order) for value, order in zip(op.operands, form.operands, strict=True) if order)
        self._queue.append((op.results[0], form.result))

    def _propagate(self) -> None:
        seen: set[tuple[SSAValue, Order]] = set()
        while self._queue:
            value, order = self._queue.popleft()
            if (value, order) in seen or is_constant(value):
                continue
            seen.add((value, order))
            for op, index in _ends(value):
                rule = self.rule_of.get(op)
                form = rule.follow(op, index, order) if rule else None
                if form is not None:
                    self._add(op, form)


def is_constant(value: SSAValue) -> bool:
    """Return whether a value is a constant or has no content: then each layout is free."""
    return isinstance(value, OpResult) and isinstance(value.op, arith.ConstantOp | tensor.EmptyOp)


def _ends(value: SSAValue) -> Iterator[tuple[Operation, int]]:
    if isinstance(value, OpResult):
        yield value.op, RESULT
    for use in value.uses:
        yield use.operation, use.index


@dataclass
class Problem:
    """The labelling problem of a block; `classes` holds the forms of each op, those that differ by views together."""

    candidates: Candidates
    nodes: dict[Operation, int] = field(default_factory=dict[Operation, int])
    classes: list[list[list[Form]]] = field(default_factory=list[list[list[Form]]])
    forms: list[list[tuple[Label, ...]]] = field(default_factory=list[list[tuple[Label, ...]]])
    values: list[Value] = field(default_factory=list[Value])
    subjects: list[SSAValue] = field(default_factory=list[SSAValue])
    _fixed: dict[Label, int] = field(default_factory=dict[Label, int])

    def __post_init__(self) -> None:
        places = {op: place for place, op in enumerate(self.candidates.block.ops)}
        values: dict[SSAValue, None] = {}
        for op, forms in self.candidates.forms.items():
            grouped: dict[tuple[Label, ...], list[Form]] = {}
            for form in forms:
                grouped.setdefault(_labels(op, form), []).append(form)
            self.nodes[op] = len(self.forms)
            self.forms.append(list(grouped))
            self.classes.append(list(grouped.values()))
            values |= dict.fromkeys([value for value in op.operands if is_shaped(value)])
            values[op.results[0]] = None
        for value in values:
            if not is_constant(value):
                self._add(value, places)

    def _add(self, value: SSAValue, places: dict[Operation, int]) -> None:
        plain = self._end_of(memory_order(shape_of(value), identity(len(shape_of(value)))))
        producer = plain
        if isinstance(value, OpResult) and value.op in self.nodes:
            producer = End(self.nodes[value.op], len(value.op.operands))
        users: dict[End, None] = {}
        for use in value.uses:
            node = self.nodes.get(use.operation)
            if node is None:
                users[plain] = None
            elif self.forms[node][0][use.index] is not None:
                users[End(node, use.index)] = None
        place = places.get(value.op, -1) if isinstance(value, OpResult) else -1
        self.subjects.append(value)
        self.values.append(Value(producer, tuple(users), self._cost(value, len(places) - place)))

    def _end_of(self, label: Label) -> End:
        """Return an end that has one layout."""
        if label not in self._fixed:
            self._fixed[label] = len(self.forms)
            self.forms.append([(label,)])
            self.classes.append([])
        return End(self._fixed[label], 0)

    def _cost(self, value: SSAValue, left: int) -> Cost:
        """Return the cost of a copy: 1, then its bytes; among equals, transposes stay where they are, or come late."""
        size = numpy_type(element_of(value)).itemsize
        for extent in shape_of(value):
            size *= extent
        is_source = any(use.operation.name == "linalg.transpose" and use.index == 0 for use in value.uses)
        return 1, size, 0 if is_source else left, 0

    def solve(self) -> list[int]:
        """Return the form of each node in an assignment of least cost."""
        prices = {
            (node, index): (0, 0, 0, 1)
            for node, classes in enumerate(self.classes)
            for index, forms in enumerate(classes)
            if not any(form.is_plain for form in forms)
        }
        return solve(Labelling(self.forms, self.values, prices))

    def is_wanted_in(self, choice: Sequence[int], value: SSAValue, order: Order) -> bool:
        """Return whether all users of a value take it in a layout that is not row-major, up to views."""
        shape = shape_of(value)
        label = memory_order(shape, order)
        nodes = [(self.nodes.get(use.operation), use.index) for use in value.uses]
        wanted = {self.forms[node][choice[node]][index] if node is not None else None for node, index in nodes}
        return wanted == {label} and label != memory_order(shape, identity(len(shape)))


def _labels(op: Operation, form: Form) -> tuple[Label, ...]:
    """Return the memory orders of a form's operands and result, None where an operand may have any."""
    operands = [
        None if order is None or is_constant(value) else memory_order(shape_of(value), order)
        for value, order in zip(op.operands, form.operands, strict=True)
    ]
    return (*operands, memory_order(shape_of(op.results[0]), form.result))


def _rewrite(candidates: Candidates) -> None:
    problem = Problem(candidates)
    choice = problem.solve()
    chosen = {op: problem.classes[node][choice[node]] for op, node in problem.nodes.items()}
    state = Layouts(lambda value, order: problem.is_wanted_in(choice, value, order))
    for op in list(candidates.block.ops):
        if op in chosen:
            state.current = op
            candidates.rule_of[op].rewrite(state, op, _nearest(state, op, chosen))
    state.erase_unused()


def _nearest(state: Layouts, op: Operation, chosen: Mapping[Operation, Sequence[Form]]) -> Form:
    """
    Return the form with the fewest views, of those that differ by views.

    Operands count that are produced so, and users that demand the result so. Views stay what they are.
    """
    demands = [(chosen[use.operation], use.index) for use in op.results[0].uses if use.operation in chosen]
    demanded = [forms[0].operands[index] for forms, index in demands if len(forms) == 1]

    def key(form: Form) -> tuple[bool, int, bool]:
        pairs = zip(op.operands, form.operands, strict=True)
        exact = sum(order == state.order_of(value) for value, order in pairs if order and not is_constant(value))
        is_view = isinstance(op, VIEWS) and form.result == identity(len(form.result))
        return is_view, exact + demanded.count(form.result), not form.is_plain

    forms = chosen[op]
    return max(forms, key=key) if len(forms) > 1 else forms[0]
