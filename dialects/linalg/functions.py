"""The functions that attributes of `linalg` name: conversions, and those of elementwise ops."""

from __future__ import annotations

from xdsl.dialects.utils import EnumAttribute
from xdsl.irdl import irdl_attr_definition
from xdsl.utils.str_enum import StrEnum

from ..core.syntax.enums import InAngleBrackets


class TypeFunction(StrEnum):
    """Conversion of the inputs of an op to the type of its output, by which integers are signed or unsigned."""

    SIGNED = "cast_signed"
    UNSIGNED = "cast_unsigned"


class UnaryFunction(StrEnum):
    """Function of `linalg.elemwise_unary`."""

    EXP = "exp"
    LOG = "log"
    ABS = "abs"
    CEIL = "ceil"
    FLOOR = "floor"
    NEGF = "negf"
    RECIPROCAL = "reciprocal"
    ROUND = "round"
    SQRT = "sqrt"
    RSQRT = "rsqrt"
    SQUARE = "square"
    TANH = "tanh"
    ERF = "erf"


class BinaryFunction(StrEnum):
    """Function of `linalg.elemwise_binary`."""

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    DIV = "div"
    DIV_UNSIGNED = "div_unsigned"
    MAX_SIGNED = "max_signed"
    MIN_SIGNED = "min_signed"
    MAX_UNSIGNED = "max_unsigned"
    MIN_UNSIGNED = "min_unsigned"
    POWF = "powf"


@irdl_attr_definition
class TypeFunctionAttr(InAngleBrackets, EnumAttribute[TypeFunction]):
    """`#linalg.type_fn<cast_signed>`."""

    name = "linalg.type_fn"


@irdl_attr_definition
class UnaryFunctionAttr(InAngleBrackets, EnumAttribute[UnaryFunction]):
    """`#linalg.unary_fn<exp>`."""

    name = "linalg.unary_fn"


@irdl_attr_definition
class BinaryFunctionAttr(InAngleBrackets, EnumAttribute[BinaryFunction]):
    """`#linalg.binary_fn<add>`."""

    name = "linalg.binary_fn"
