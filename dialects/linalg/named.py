"""The named structured ops that xDSL lacks or defines for fewer types, as classes made from their definitions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, cast

from xdsl.dialects.builtin import AffineMapAttr, ArrayAttr, DenseIntElementsAttr, MemRefType, TensorType
from xdsl.dialects.linalg.abstract_ops import NamedOperation
from xdsl.dialects.linalg.attrs import IteratorTypeAttr
from xdsl.ir import Attribute, Operation, Region, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import irdl_op_definition, opt_prop_def
from xdsl.parser import Parser
from xdsl.utils.exceptions import VerifyException

from ...ir import shape_of
from ..core.operand_lists import parse_operands
from .definitions import DEFINITIONS, ELEMENTWISE, Definition
from .functions import BinaryFunctionAttr, TypeFunction, TypeFunctionAttr, UnaryFunctionAttr
from .scalar_code import hidden_region

_MEMOIZED = "linalg.memoized_indexing_maps"
"""The attribute in which upstream keeps the maps of an op, which follow from it."""


class NamedOp(NamedOperation):
    """
    A structured op whose loops, accesses and scalar function follow from its name and its attributes.

        %r = linalg.batch_matmul ins(%a, %b : tensor<2x3x4xf32>, tensor<2x4x5xf32>)
            outs(%c : tensor<2x3x5xf32>) -> tensor<2x3x5xf32>

    The region, which the text hides, is rebuilt where an op is read.
    """

    PRINT_ATTRS_IN_FRONT: ClassVar[bool] = True

    @classmethod
    def function_of(cls, properties: Mapping[str, Attribute]) -> str:
        """Return the name of the scalar function of an op with these properties."""
        return DEFINITIONS[cls.name].function

    @classmethod
    def region_of(cls, operands: Sequence[SSAValue], properties: Mapping[str, Attribute]) -> Region:
        """Return the region that an op hides. Raises ValueError where the types of its operands have no such op."""
        conversion = properties.get("cast")
        is_unsigned = isinstance(conversion, TypeFunctionAttr) and conversion.data is TypeFunction.UNSIGNED
        types = [_element(value.type) for value in operands]
        return hidden_region(cls.function_of(properties), types, is_unsigned=is_unsigned)

    @classmethod
    def get_hidden_region(cls, inputs: Sequence[SSAValue], outputs: Sequence[SSAValue]) -> Region:
        return cls.region_of((*inputs, *outputs), {})

    @property
    def indexing_maps(self) -> ArrayAttr[AffineMapAttr]:
        """The maps of the operands, under the name that xDSL's ops have for them."""
        return self.get_indexing_maps()

    @property
    def memoized_indexing_maps(self) -> ArrayAttr[AffineMapAttr]:
        """The maps of the operands, under the name that xDSL's quantised product has for them."""
        return self.get_indexing_maps()

    @property
    def definition(self) -> Definition:
        """The op's line of the table."""
        return DEFINITIONS[self.name]

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        ones = (1,) * self.definition.windows
        return self.definition.maps(ones, ones)

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        kinds = (IteratorTypeAttr.parallel(), IteratorTypeAttr.reduction())
        return ArrayAttr([kinds[loop in self.definition.reduced] for loop in range(self.definition.loops)])

    def verify_(self) -> None:
        maps = self.get_default_indexing_maps()
        if len(self.outputs) != 1 or len(self.operands) != len(maps):
            raise VerifyException(f"expected {len(maps) - 1} inputs and one output")
        super().verify_()

    def complete(self) -> None:
        """Rebuild the region of an op that was read in generic form, and drop what upstream memoises."""
        self.attributes.pop(_MEMOIZED, None)
        region = self.region_of(self.operands, self.properties)
        self.detach_region(0).drop_all_references()
        self.add_region(region)

    @classmethod
    def parse(cls, parser: Parser) -> Any:
        attributes = dict(parser.parse_optional_attr_dict())
        start = parser.pos
        inputs, outputs = parse_operands(parser, "ins"), parse_operands(parser, "outs")
        types: Sequence[Attribute] = ()
        if parser.parse_optional_punctuation("->") is not None:
            several = parser.parse_optional_comma_separated_list(parser.Delimiter.PAREN, parser.parse_type)
            types = [parser.parse_type()] if several is None else several
        known = cls.get_irdl_definition().properties
        properties = {name: attributes.pop(name) for name in list(attributes) if name in known}
        try:
            region = cls.region_of((*inputs, *outputs), properties)
        except ValueError as error:
            parser.raise_error(str(error), start, parser.pos)
        return cls.build(
            operands=[inputs, outputs],
            result_types=[types],
            properties=properties,
            attributes=attributes,
            regions=[region],
        )


def _element(type: Attribute) -> Attribute:
    return cast(Any, type).get_element_type() if isinstance(type, TensorType | MemRefType) else type


class ConvertingOp(NamedOp):
    """
    A named op that says whether integers become wider as signed or as unsigned ones; signed where it does not.

        %r = linalg.matmul {cast = #linalg.type_fn<cast_unsigned>}
            ins(%a, %b : tensor<3x4xi8>, tensor<4x5xi8>) outs(%c : tensor<3x5xi32>) -> tensor<3x5xi32>
    """

    cast = opt_prop_def(TypeFunctionAttr)


class WindowOp(NamedOp):
    """
    A convolution or pooling with strides and dilations, which are 1 where it does not give them.

        %r = linalg.pooling_nwc_max {dilations = dense<1> : tensor<1xi64>, strides = dense<2> : tensor<1xi64>}
            ins(%a, %b : tensor<1x6x3xf32>, tensor<2xf32>) outs(%c : tensor<1x3x3xf32>) -> tensor<1x3x3xf32>
    """

    strides = opt_prop_def(DenseIntElementsAttr)
    dilations = opt_prop_def(DenseIntElementsAttr)

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        return self.definition.maps(self._steps(self.strides), self._steps(self.dilations))

    def _steps(self, attribute: DenseIntElementsAttr | None) -> Sequence[int]:
        return (1,) * self.definition.windows if attribute is None else tuple(attribute.get_values())

    def verify_(self) -> None:
        for name in ("strides", "dilations"):
            steps = self._steps(getattr(self, name))
            if len(steps) != self.definition.windows or min(steps) < 1:
                raise VerifyException(f"expected {self.definition.windows} positive {name}, found {list(steps)}")
        super().verify_()


class ElementwiseOp(NamedOp):
    """
    A function of elements at the same index, of operands of any rank.

        %r = linalg.tanh ins(%a : tensor<3x4xf32>) outs(%b : tensor<3x4xf32>) -> tensor<3x4xf32>
    """

    @classmethod
    def function_of(cls, properties: Mapping[str, Attribute]) -> str:
        return cls.name.removeprefix("linalg.")

    def get_default_indexing_maps(self) -> Sequence[AffineMap]:
        return (AffineMap.identity(len(shape_of(self.outputs[0]))),) * len(self.operands)

    def get_iterator_types(self) -> ArrayAttr[IteratorTypeAttr]:
        return ArrayAttr([IteratorTypeAttr.parallel()] * len(shape_of(self.outputs[0])))

    def verify_(self) -> None:
        count = _inputs_of(self.name)
        if len(self.inputs) != count or len(self.outputs) != 1:
            raise VerifyException(f"expected {count} inputs and one output")
        super().verify_()


def _inputs_of(name: str) -> int:
    return _FUNCTIONS.get(name) or ELEMENTWISE[name.removeprefix("linalg.")]


_FUNCTIONS = {"linalg.copy": 1, "linalg.elemwise_unary": 1, "linalg.elemwise_binary": 2}


@irdl_op_definition
class LinalgCopyOp(ElementwiseOp):
    """
    The elements of the input, converted to the output's type.

        %r = linalg.copy {cast = #linalg.type_fn<cast_unsigned>} ins(%a : tensor<4xi8>) outs(%b : tensor<4xi32>)
            -> tensor<4xi32>
    """

    name = "linalg.copy"
    cast = opt_prop_def(TypeFunctionAttr)


@irdl_op_definition
class ElementwiseUnaryOp(ElementwiseOp):
    """
    A function of the elements of the input, converted to the output's type; by default the exponential.

        %r = linalg.elemwise_unary {cast = #linalg.type_fn<cast_signed>, fun = #linalg.unary_fn<sqrt>}
            ins(%a : tensor<4xi32>) outs(%b : tensor<4xf32>) -> tensor<4xf32>
    """

    name = "linalg.elemwise_unary"
    fun = opt_prop_def(UnaryFunctionAttr)
    cast = opt_prop_def(TypeFunctionAttr)

    @classmethod
    def function_of(cls, properties: Mapping[str, Attribute]) -> str:
        function = properties.get("fun")
        return f"elemwise_{function.data.value if isinstance(function, UnaryFunctionAttr) else 'exp'}"


@irdl_op_definition
class ElementwiseBinaryOp(ElementwiseOp):
    """
    A function of the elements of two inputs, converted to the output's type; by default the sum.

        %r = linalg.elemwise_binary {fun = #linalg.binary_fn<max_unsigned>}
            ins(%a, %b : tensor<4xi8>, tensor<4xi8>) outs(%c : tensor<4xi32>) -> tensor<4xi32>
    """

    name = "linalg.elemwise_binary"
    fun = opt_prop_def(BinaryFunctionAttr)
    cast = opt_prop_def(TypeFunctionAttr)

    @classmethod
    def function_of(cls, properties: Mapping[str, Attribute]) -> str:
        function = properties.get("fun")
        name = function.data.value if isinstance(function, BinaryFunctionAttr) else "add"
        return f"elemwise_{name.removesuffix('_signed')}"


_CONVERTING = ("linalg.matmul", "linalg.matmul_transpose_a", "linalg.matmul_transpose_b")


def _class(name: str, base: type[NamedOp]) -> type[Operation]:
    words = name.removeprefix("linalg.").split("_")
    members = {"name": name, "__module__": __name__, "__doc__": f"The named op `{name}`; see `{base.__name__}`."}
    return irdl_op_definition(type("".join(word.capitalize() for word in words) + "Op", (base,), members))


def _base(name: str, definition: Definition) -> type[NamedOp]:
    if name in _CONVERTING:
        return ConvertingOp
    return WindowOp if definition.is_strided else NamedOp


NAMED: list[type[Operation]] = [
    LinalgCopyOp,
    ElementwiseBinaryOp,
    ElementwiseUnaryOp,
    *(_class(f"linalg.{name}", ElementwiseOp) for name in ELEMENTWISE),
    *(_class(name, _base(name, definition)) for name, definition in DEFINITIONS.items()),
]
"""The classes of the named ops."""
