"""The base of `nn`'s kernels: destination-passing ops whose loops and scalar code follow from their attributes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import replace
from itertools import product
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseArrayBase, UnitAttr, i64
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import (
    AttrSizedOperandSegments,
    IRDLOperation,
    opt_prop_def,
    opt_region_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from ...discovery import on_forget
from ...errors import Diagnostic
from ...ir import element_of, numbers_of, shape_of
from .effect_traits import KernelEffects
from .kernel import Access, Kernel, is_shaped, kernel_view, result_types, single_block
from .operand_lists import parse_operand_list, parse_operands, print_operands

_HIDDEN = ("operandSegmentSizes", "epilogue_maps")
_NOBODY: SSAValue = Block(arg_types=[i64]).args[0]
_CORES: dict[Hashable, tuple[Kernel, list[int]]] = {}
"""Kernel views by structure, with the place of each access among the operands."""
_VERIFIED: set[Hashable] = set()
"""Structures found sound: the check builds the kernel's code anew, and passes leave most kernels as they are."""

on_forget(lambda _: (_CORES.clear(), _VERIFIED.clear()))


class KernelOp(IRDLOperation, ABC):
    """
    A structured kernel, on tensors or on memrefs.

        %y = nn.conv ins(%x, %w : tensor<1x3x32x32xi8>, tensor<16x3x3x3xi8>) outs(%init : tensor<1x16x32x32xi8>)
            {strides = array<i64: 1, 1>, ...} epilogue(%mul : tensor<16xi32>) at [affine_map<(d0, d1, ...) -> (d1)>] {
        ^bb0(%sum: i32, %m: i32):
          %r = quant.requantize %sum, %m, %zero shift 16 clip 0 to 255 in i32 : i32, i32, i32 -> i8
          linalg.yield %r : i8
        }

    The output's old content does not matter, except with `accumulate`. The optional epilogue takes the kernel's result
    and one element of each of its own operands, whose maps start from the indices of the output's element.
    """

    TAKES_EPILOGUES: ClassVar[bool] = True
    """True if elementwise kernels may be fused as the op's epilogue."""

    inputs = var_operand_def()
    extras = var_operand_def()
    outputs = var_operand_def()
    res = var_result_def()
    epilogue = opt_region_def("single_block")
    unsigned = opt_prop_def(DenseArrayBase)
    """Indices of the inputs of unsigned integers."""
    wraps = opt_prop_def(UnitAttr)
    """Integer arithmetic wraps around; without it, it is known not to overflow."""
    epilogue_maps = opt_prop_def(ArrayAttr[AffineMapAttr])
    accumulate = opt_prop_def(UnitAttr)
    """The reduction accumulates into the output, which has the accumulator's type."""

    irdl_options = (AttrSizedOperandSegments(as_property=True),)
    traits = traits_def(KernelEffects())

    def __init__(
        self,
        inputs: Sequence[SSAValue],
        output: SSAValue,
        properties: dict[str, Attribute | None] | None = None,
        *,
        unsigned: Sequence[int] = (),
        wraps: bool = False,
        extras: Sequence[SSAValue] = (),
        epilogue_maps: Sequence[AffineMapAttr] = (),
        epilogue: Region | None = None,
    ):
        flags: dict[str, Attribute | None] = {
            "unsigned": DenseArrayBase.from_list(i64, list(unsigned)) if unsigned else None,
            "wraps": UnitAttr() if wraps else None,
            "epilogue_maps": ArrayAttr(epilogue_maps) if epilogue else None,
        }
        super().__init__(
            operands=[inputs, extras, [output]],
            result_types=[result_types([output])],
            properties=(properties or {}) | {name: value for name, value in flags.items() if value is not None},
            regions=[epilogue],
        )

    @abstractmethod
    def core(self) -> Kernel:
        """Return the kernel view without the epilogue."""

    def tile_properties(self, sizes: Sequence[int]) -> dict[str, Attribute]:
        """
        Return the properties of this kernel on a tile of `sizes` points.

        Tiles are filled when they are read, so that padding is dropped along split axes.
        """
        return dict(self.properties)

    @property
    def output(self) -> SSAValue:
        """The destination: a tensor that gives the shape, or the memref that is written."""
        return self.outputs[0]

    @property
    def multiply_accumulates(self) -> int:
        """Number of multiply-accumulates of the kernel, 0 where it is no sum of products."""
        return 0

    @property
    def factor_type(self) -> Attribute:
        """Type of the numbers that the second input holds, by which a sum of products multiplies those of the first."""
        return element_of(self.inputs[1])

    def is_unsigned(self, index: int) -> bool:
        """Return whether input `index` holds unsigned integers."""
        return self.unsigned is not None and index in numbers_of(self.unsigned)

    def verify_(self) -> None:
        key = self.structure()
        if key not in _VERIFIED:
            self.verify_structure()
            _VERIFIED.add(key)

    def verify_structure(self) -> None:
        """Verify that types and properties fit each other, once for equal structures."""
        if len(self.outputs) != 1:
            raise VerifyException(f"expected one output, got {len(self.outputs)}")
        if not all(is_shaped(value) for value in self.operands):
            raise VerifyException("every operand must be a tensor or a memref")
        if list(self.result_types) != result_types(list(self.outputs)):
            raise VerifyException("the result must have the type of the output tensor")
        maps = self.epilogue_maps.data if self.epilogue_maps else ()
        if len(maps) != len(self.extras):
            raise VerifyException(f"{len(self.extras)} epilogue operands need as many maps, got {len(maps)}")
        rank = len(shape_of(self.output))
        for value, attr in zip(self.extras, maps, strict=True):
            if attr.data.num_dims != rank or len(attr.data.results) != len(shape_of(value)):
                raise VerifyException(
                    f"an epilogue map must lead from {rank} output axes to the operand's {len(shape_of(value))}"
                )
        try:
            core = self.core()
            if self.accumulate is not None:
                self._verify_accumulate(core)
            self._verify_kernel(core)
        except Diagnostic as error:
            raise VerifyException(error.message) from error

    def _verify_accumulate(self, core: Kernel) -> None:
        if self.epilogue is not None or self.results:
            raise VerifyException("'accumulate' is for memrefs and kernels without an epilogue")
        if len(core.reductions) != 1 or core.result is not None:
            raise VerifyException("'accumulate' is for kernels that are one reduction")

    def structure(self) -> Hashable:
        """Return all that the check of a kernel depends on."""
        block = single_block(self.epilogue)
        yielded = tuple(value.type for value in block.last_op.operands) if block is not None and block.last_op else None
        arguments = tuple(arg.type for arg in block.args) if block is not None else None
        types = tuple(value.type for value in (*self.operands, *self.results))
        return self.name, types, frozenset(self.properties.items()), arguments, yielded

    def _verify_kernel(self, core: Kernel) -> None:
        if self.unsigned is not None and not set(numbers_of(self.unsigned)) <= set(range(len(self.inputs))):
            raise VerifyException(f"'unsigned' must name inputs, 0 to {len(self.inputs) - 1}")
        expected = _extents(core, core.outputs[0])
        if shape_of(self.output) != expected:
            raise VerifyException(f"the output's shape must be {list(expected)}, got {list(shape_of(self.output))}")
        maps = self.epilogue_maps.data if self.epilogue_maps else ()
        for value, attr in zip(self.extras, maps, strict=True):
            reached = [zip(index, shape_of(value), strict=True) for index in _corners(expected, attr.data)]
            if any(not 0 <= i < extent for pairs in reached for i, extent in pairs):
                raise VerifyException(
                    f"an epilogue map is out of bounds of its operand of shape {list(shape_of(value))}"
                )
        block = single_block(self.epilogue)
        final = core.result or core.reductions[-1].body
        types = [value.type for value in final.last_op.operands] if final.last_op else []
        if block is not None:
            arguments = [*types, *(element_of(value) for value in self.extras)]
            if [arg.type for arg in block.args] != arguments:
                raise VerifyException(f"the epilogue must take {', '.join(map(str, arguments))}")
            types = [value.type for value in block.last_op.operands] if block.last_op else []
        if types != [element_of(self.output)]:
            raise VerifyException(
                f"the kernel yields {', '.join(map(str, types))}, the output holds {element_of(self.output)}"
            )

    @classmethod
    def parse(cls, parser: Parser) -> KernelOp:
        """Parse the syntax of the class's example."""
        inputs = parse_operands(parser, "ins")
        outputs = parse_operands(parser, "outs")
        properties = dict(parser.parse_optional_attr_dict())
        extras: list[SSAValue] = []
        regions: list[list[Region]] = [[]]
        if parser.parse_optional_keyword("epilogue"):
            extras = parse_operand_list(parser)
            parser.parse_keyword("at")
            properties["epilogue_maps"] = parser.parse_attribute()
            regions = [[parser.parse_region()]]
        attributes = {
            name: properties.pop(name) for name in list(properties) if name not in cls.get_irdl_definition().properties
        }
        return cls.create_from(inputs, extras, outputs, properties, regions, attributes)

    @classmethod
    def create_from(
        cls,
        inputs: Sequence[SSAValue],
        extras: Sequence[SSAValue],
        outputs: Sequence[SSAValue],
        properties: dict[str, Attribute],
        regions: list[list[Region]],
        attributes: dict[str, Attribute],
    ) -> KernelOp:
        """Build the op from its parts as they are."""
        return cls.build(
            operands=[list(inputs), list(extras), list(outputs)],
            result_types=[result_types(list(outputs))],
            properties=properties,
            regions=regions,
            attributes=attributes,
        )

    def print(self, printer: Printer) -> None:
        """Print the syntax of the class's example."""
        print_operands(printer, "ins", self.inputs)
        print_operands(printer, "outs", self.outputs)
        shown = {name: value for name, value in self.properties.items() if name not in _HIDDEN} | self.attributes
        if shown:
            printer.print_string(" ")
            printer.print_attr_dict(shown)
        if self.epilogue is None:
            return
        print_operands(printer, "epilogue", self.extras)
        printer.print_string(" at ")
        printer.print_attribute(self.epilogue_maps or ArrayAttr(()))
        printer.print_string(" ")
        printer.print_region(self.epilogue)


@kernel_view(KernelOp)
def _view(op: KernelOp) -> Kernel:
    core = _core_of(op)
    if op.accumulate is not None:
        core = replace(core, reductions=tuple(replace(reduction, initial=(None,)) for reduction in core.reductions))
    maps = op.epilogue_maps.data if op.epilogue_maps else ()
    target = core.outputs[0].map
    extras = tuple(Access(value, attr.data.compose(target)) for value, attr in zip(op.extras, maps, strict=True))
    return replace(core, extras=extras, epilogue=single_block(op.epilogue))


def _core_of(op: KernelOp) -> Kernel:
    """Return `op.core()`; structurally equal kernels share its loops and scalar code, which are expensive to build."""
    operands = list(op.operands)
    first_use = tuple(operands.index(value) for value in operands)
    key = op.name, first_use, tuple(value.type for value in operands), frozenset(op.properties.items())
    if key not in _CORES:
        core = op.core()
        places = [operands.index(access.value) for access in (*core.inputs, *core.outputs)]
        _CORES[key] = replace(core, inputs=_without_values(core.inputs), outputs=_without_values(core.outputs)), places
    core, places = _CORES[key]
    accesses = [replace(a, value=operands[i]) for a, i in zip((*core.inputs, *core.outputs), places, strict=True)]
    count = len(core.inputs)
    return replace(core, inputs=tuple(accesses[:count]), outputs=tuple(accesses[count:]))


def _without_values(accesses: Sequence[Access]) -> tuple[Access, ...]:
    """Return accesses of no operand in particular, that keep no module alive."""
    return tuple(replace(access, value=_NOBODY) for access in accesses)


def _extents(core: Kernel, access: Access) -> tuple[int, ...]:
    """Return one more than the largest index that a non-decreasing map reaches, per axis."""
    last = [bound - 1 for bound in core.bounds]
    return tuple(expr.eval(last, []) + 1 for expr in access.map.results)


def _corners(shape: Sequence[int], map: AffineMap) -> list[tuple[int, ...]]:
    """Return the image of a box's corners under a map; an affine map has its extremes there."""
    if 0 in shape:
        return []
    ends = [{0, extent - 1} for extent in shape]
    return [map.eval(list(corner), []) for corner in product(*ends)]
