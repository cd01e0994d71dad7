from __future__ import annotations

import io
import time
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from xdsl.dialects import arith
from xdsl.dialects.builtin import (
    BFloat16Type,
    FusedLoc,
    IntegerType,
    ModuleOp,
    NoneAttr,
    Signedness,
    StringAttr,
    UnknownLoc,
    f16,
    f32,
    f64,
    i1,
    i8,
    i32,
)
from xdsl.ir import Attribute, Operation
from xdsl.utils.exceptions import ParseError
from xdsl.utils.lexer import Input
from xdsl.utils.mlir_lexer import MLIRLexer, MLIRTokenKind

from tilewright import ir
from tilewright.dialects.core.syntax import text as text_of_ir
from tilewright.dialects.core.syntax.parser import FastLexer
from tilewright.dialects.core.syntax.text import Locations
from tilewright.dialects.core.verification import verifier
from tilewright.dialects.core.verification.dominance import dominator_tree
from tilewright.errors import Diagnostic
from tilewright.locations import is_written

pytestmark = pytest.mark.quick

DIAMOND = """
func.func @f(%c: i1, %a: i32) -> i32 {{
  %0 = arith.addi %a, %a : i32
  cf.cond_br %c, ^then, ^else
^then:
  %1 = arith.addi %0, %a : i32
  cf.br ^join
^else:
  cf.br ^join
^join:
  func.return {result} : i32
^never:
  func.return %1 : i32
}}
"""


def module_of(text: str) -> ModuleOp:
    return text_of_ir.parse_module(text_of_ir.new_context(), text, "t.mlir")


def error_of(text: str) -> Diagnostic:
    with pytest.raises(Diagnostic) as caught:
        verifier.verify(module_of(text))
    return caught.value


@pytest.mark.parametrize("element", [i1, i8, i32, f16, f32, f64, BFloat16Type(), IntegerType(16, Signedness.UNSIGNED)])
def test_arrays_survive_as_constants(element: Attribute):
    array = (np.arange(24).reshape(2, 3, 4) % 2).astype(ir.numpy_type(element))
    attribute = ir.dense(array, element)
    attribute.verify()
    assert attribute.get_shape() == (2, 3, 4)
    assert ir.array_of(attribute).dtype == ir.numpy_type(element)
    assert np.array_equal(ir.array_of(attribute), array)


def test_an_element_type_without_arrays_is_named():
    with pytest.raises(Diagnostic, match="no array can hold elements of type"):
        ir.numpy_type(UnknownLoc())


@pytest.mark.parametrize(
    "values", [np.arange(300, dtype=np.int8), np.full(300, 7, np.int8), np.arange(5, dtype=np.int8)]
)
def test_constants_print_and_parse(values: ir.Array):
    module = module_of(f"%0 = arith.constant dense<0> : tensor<{values.size}xi8>")
    constant = module.body.block.first_op
    assert constant is not None
    constant.properties["value"] = ir.dense(values, i8)
    again = module_of(text_of_ir.print_ir(module))
    assert again.is_structurally_equivalent(module)


def test_splats_and_big_constants_are_short():
    module = module_of("%0 = arith.constant dense<7> : tensor<1000xi8>")
    assert "dense<7> : tensor<1000xi8>" in text_of_ir.print_ir(module)
    constant = module.body.block.first_op
    assert constant is not None
    constant.properties["value"] = ir.dense(np.arange(1000), i32)
    assert "dense_resource<__elided__> : tensor<1000xi32>" in text_of_ir.print_ir(module, elide=999)
    assert "__elided__" not in text_of_ir.print_ir(module, elide=1000)


def test_resources_are_printed_with_a_context():
    text = """
    %0 = arith.constant dense_resource<blob> : tensor<1xi32>
    {-# dialect_resources: { builtin: { blob: "0x0400000001000000" } } #-}
    """
    context = text_of_ir.new_context()
    modules = [
        text_of_ir.parse_module(context, text),
        text_of_ir.parse_module(context, text.replace("01000000", "02000000")),
    ]
    printed = [text_of_ir.print_ir(module, context=context) for module in modules]
    assert ': "0x0400000001000000"' in printed[0]
    assert ': "0x0400000002000000"' in printed[1]


def test_locations_are_lines_of_the_file():
    module = text_of_ir.parse_module(
        text_of_ir.new_context(), "func.func @f() {\n  func.return\n}", "a.mlir", first_line=10
    )
    places = [op.location for op in module.walk() if op is not module]
    assert not any(is_written(place) for place in places)
    assert [ir.where(op) for op in module.walk()][1:] == ["a.mlir:10:1", "a.mlir:11:3"]


def test_node_names_survive_text():
    module = module_of('%0 = arith.constant 1 : i32 loc("A")\n%1 = arith.constant 1 : i32 loc(fused["B", "C"])')
    again = module_of(text_of_ir.print_ir(module, locations=Locations.GIVEN))
    assert [ir.node_names(op) for op in again.ops] == [("A",), ("B", "C")]
    assert [ir.where(op) for op in again.ops] == ['node "A"', 'node "B" + "C"']
    assert "loc(" not in text_of_ir.print_ir(module)


def test_the_text_is_a_fixed_point_with_every_location():
    text = text_of_ir.print_ir(module_of(DIAMOND.format(result="%0")), locations=Locations.ALL)
    assert "t.mlir" in text
    assert text_of_ir.print_ir(module_of(text), locations=Locations.ALL) == text


def test_a_location_attribute_is_printed():
    text = '"test.op"() {a = loc(unknown), b = [loc(unknown), loc("A")]} : () -> ()'
    assert text in text_of_ir.print_ir(module_of(text))


def test_places_that_the_text_gives_are_named_in_errors():
    lines = ('loc("a.cc":3:4)', 'loc(callsite("f" at "a.cc":5:6))', 'loc(fused<"x">["y"("z"), "a.cc":7:8])')
    module = module_of("\n".join(f'"test.op"() : () -> () {each}' for each in lines))
    assert [ir.where(op) for op in module.ops] == ["a.cc:3:4", "a.cc:5:6", "a.cc:7:8"]
    assert [ir.node_names(op) for op in module.ops] == [(), ("f",), ()]


def test_an_op_made_without_its_initialiser_has_a_location():
    op = ModuleOp.__new__(ModuleOp)
    assert op.location == UnknownLoc()


def test_generic_form_keeps_locations():
    module = module_of('%0 = arith.constant 1 : i32 loc("A")')
    text = text_of_ir.print_ir(module, generic=True)
    assert '"arith.constant"' in text
    assert text_of_ir.print_ir(module_of(text)) == text_of_ir.print_ir(module)


def test_fused_locations_flatten_without_repetition():
    a, b = ir.named_location("A"), ir.named_location("B")
    both = ir.fused_location([a, UnknownLoc(), b, a])
    assert isinstance(both, FusedLoc)
    assert ir.fused_location([both, a]) == both
    assert ir.fused_location([a, a]) == a
    assert ir.fused_location([]) == UnknownLoc()


def test_fused_locations_keep_what_the_text_gives():
    module = module_of(
        '"test.op"() : () -> () loc("a.cc":3:4)\n"test.op"() : () -> ()\n"test.op"() : () -> () loc("B")'
    )
    given, inferred, named = (op.location for op in module.ops)
    assert ir.fused_location([inferred, given]) == given
    assert ir.fused_location([given, inferred, named]) == FusedLoc((given, named), NoneAttr())


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("\n  %0 = arith.nonsense\n%1 = arith.constant 1 : i32", "t.mlir:2:3", "not registered"),
        ("func.func @f() {\n  func.return %0 :\n}", "t.mlir:3:1", "expected"),
        ('\n"test.op"() {a = array<i99999999: 1>} : () -> ()', "t.mlir:2:", ""),
        ('"a', "t.mlir:1:1", "End of file"),
        ("%0 = arith.addi %1, %1 : i32", "t.mlir:1:17", "the value %1 is used, but not defined"),
        (
            "%0 = linalg.generic {indexing_maps = [affine_map<() -> ()>], iterator_types = []} outs(%1 : tensor<i8>) "
            "{\n"
            "%1 = arith.constant dense<1> : tensor<i8>\nlinalg.yield %1 : tensor<i8>} -> tensor<i8>",
            "t.mlir:1:88",
            "the value %1 is used by an op, but defined in a region of that op",
        ),
        (
            "%0 = arith.constant 0 : index\n%1 = scf.for %i = %0 to %0 step %s iter_args(%a = %0) -> (index) {\n"
            "%2 = arith.addi %i, %s : index\n%s = arith.constant 1 : index\nscf.yield %2 : index }",
            "t.mlir:2:33",
            "the value %s is used by an op, but defined in a region of that op",
        ),
    ],
)
def test_syntax_errors_have_places(text: str, where: str, message: str):
    with pytest.raises(Diagnostic) as caught:
        module_of(text)
    assert caught.value.where.startswith(where)
    assert message.lower() in caught.value.message.lower()


def test_dominance_in_one_block():
    lines = ("scf.execute_region {", "%0 = arith.addi %1, %1 : i32", "%1 = arith.constant 1 : i32", "scf.yield }")
    error = error_of("\n".join(lines))
    assert (error.where, error.message) == ("t.mlir:2:1", "operand 0 of 'arith.addi' does not dominate its use")


def test_dominance_across_blocks():
    verifier.verify(module_of(DIAMOND.format(result="%0")))
    assert "does not dominate" in error_of(DIAMOND.format(result="%1")).message


def test_a_value_of_a_region_is_not_seen_after_it():
    text = """
    func.func @f(%c: i1) -> i32 {{
      %r = scf.if %c -> (i32) {{
        %x = arith.constant 1 : i32
        scf.yield %x : i32
      }} else {{
        %y = arith.constant 2 : i32
        scf.yield {inner} : i32
      }}
      func.return {outer} : i32
    }}
    """
    verifier.verify(module_of(text.format(inner="%y", outer="%r")))
    for hint in ("y", "r"):
        # The parser scopes names itself, so the fault is put in after it.
        module = module_of(text.format(inner="%y", outer="%r"))
        user = next(op for op in module.walk() if op.operands and op.operands[0].name_hint == hint)
        user.operands[0] = named(module, "x").results[0]
        with pytest.raises(Diagnostic, match="does not dominate"):
            verifier.verify(module)


NESTED = """
func.func @f(%a: i32) {{
  %x = arith.constant 1 : i32
  builtin.module {{
    func.func @g(%b: i32) {{
      {inner}
    }}
  }}
  func.return
}}
"""


@pytest.mark.parametrize("known", [False, True], ids=["the first of its kind", "alike ones are known"])
@pytest.mark.parametrize(
    "inner",
    [
        "%user = arith.addi %b, %b : i32\nfunc.return",
        "%c = arith.constant true\nscf.if %c {\n%user = arith.addi %b, %b : i32\n}\nfunc.return",
        "func.return\n^unreached:\n%user = arith.addi %b, %b : i32\nfunc.return",
    ],
    ids=["itself", "in a region", "never reached"],
)
def test_what_is_isolated_uses_nothing_from_outside(inner: str, known: bool):
    module = module_of(NESTED.format(inner=inner))
    if known:
        verifier.verify(module)
        verifier.verify(module)
    named(module, "user").operands[0] = named(module, "x").results[0]
    with pytest.raises(Diagnostic, match=r"operand 0 of 'arith\.addi' is defined outside of 'func\.func'"):
        verifier.verify(module)


def test_what_is_not_registered_is_not_known_to_be_isolated():
    text = 'func.func @f(%a: i32) {\n "foo.loop"() ({\n "foo.use"(%a) : (i32) -> ()\n }) : () -> ()\n func.return\n}'
    verifier.verify(text_of_ir.parse_module(text_of_ir.new_context(allow_unregistered=True), text))


def named(module: ModuleOp, hint: str) -> Operation:
    return next(op for op in module.walk() if op.results and op.results[0].name_hint == hint)


def test_verification_is_that_of_xdsl_too():
    assert "same types" in error_of("func.func @f(%a: i32) -> i64 {\n  func.return %a : i32\n}").message
    assert "not a terminator" in error_of('"func.func"() <{sym_name = "f", function_type = () -> ()}> ({\n'
                                          "  %0 = arith.constant 1 : i32\n}) : () -> ()").message  # fmt: skip
    empty = '"func.func"() <{sym_name = "f", function_type = () -> ()}> ({\n^bb0:\n}) : () -> ()'
    assert "has an empty block" in error_of(empty).message


def test_a_failing_verification_does_not_print_the_module(monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise AssertionError("the module is printed")

    monkeypatch.setattr("xdsl.utils.diagnostic.Diagnostic.raise_exception", refuse)
    assert "same types" in error_of("func.func @f(%a: i32) -> i64 {\n  func.return %a : i32\n}").message


LOOP = """
    func.func @f(%c: i1) {
      cf.br ^head
    ^head:
      cf.cond_br %c, ^body, ^exit
    ^body:
      cf.cond_br %c, ^head, ^exit
    ^exit:
      func.return
    ^never:
      cf.br ^head
    }
"""
LATE_DIAMOND = """
    func.func @f(%c: i1) {
      cf.br ^fork
    ^fork:
      cf.cond_br %c, ^left, ^right
    ^left:
      cf.cond_br %c, ^join, ^right
    ^right:
      cf.cond_br %c, ^join, ^left
    ^join:
      func.return
    }
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [(LOOP, {0: [1], 1: [2, 3], 2: [], 3: []}), (LATE_DIAMOND, {0: [1], 1: [2, 3, 4], 2: [], 3: [], 4: []})],
)
def test_dominator_tree(text: str, expected: dict[int, list[int]]):
    function = module_of(text).body.block.first_op
    assert function is not None
    blocks = list(function.regions[0].blocks)
    tree = dominator_tree(function.regions[0])
    assert {blocks.index(block): sorted(map(blocks.index, tree[block])) for block in tree} == expected


PIECES = [
    *"%a %0 @f #m !t.x ^bb0 -> - -1 1.5e-3 0x1F {-# #-} { } ( ) [ ] < > = : , ... + * ? | / é a.b$c _x".split(),
    *("% x", '@"a b"', '"s\\n"', "// c\n", "\n", " ", "\t", 'dense<"0xFF">'),
]


def kinds(lexer: MLIRLexer) -> list[tuple[MLIRTokenKind | str, int, int]]:
    tokens: list[tuple[MLIRTokenKind | str, int, int]] = []
    while not tokens or tokens[-1][0] is not MLIRTokenKind.EOF:
        try:
            token = lexer.lex()
        except ParseError as error:
            return [*tokens, (error.msg, error.span.start, error.span.end)]
        tokens.append((token.kind, token.span.start, token.span.end))
    return tokens


@given(st.lists(st.sampled_from(PIECES), max_size=20))
def test_the_lexer_is_that_of_xdsl(pieces: list[str]):
    text = "".join(pieces)
    assert kinds(FastLexer(Input(text, ""))) == kinds(MLIRLexer(Input(text, "")))


def test_printing_is_that_of_xdsl():
    from xdsl.printer import Printer

    module = module_of(DIAMOND.format(result="%0"))
    stream = io.StringIO()
    Printer(stream).print_op(module)
    assert text_of_ir.print_ir(module) == stream.getvalue()


@pytest.mark.parametrize("count", [1, 3, 100, 101])
@pytest.mark.parametrize("uniform", [True, False])
def test_float_constants_keep_their_bits(count: int, uniform: bool) -> None:
    """Floats without an exact short decimal, infinities and NaNs come back from text as they were."""
    odd = np.array([2270848.0, -np.inf, 1.1, np.nan, 1e-45, -0.0, 16777217.5, 3.0], np.float32)
    values = np.full(count, odd[0]) if uniform else np.resize(odd, count)
    module = ModuleOp([arith.ConstantOp(cast(Any, ir.dense(values, f32)))])
    again = text_of_ir.parse_module(text_of_ir.new_context(), text_of_ir.print_ir(module))
    constant = cast(arith.ConstantOp, again.body.block.first_op)
    assert ir.array_of(cast(Any, constant.value)).tobytes() == values.astype(np.float32).tobytes()


def test_a_generic_op_of_several_results_is_read_again():
    body = """({
  ^bb0(%x: i32, %y: i32, %z: i32):
    linalg.yield %x, %x : i32, i32
  })"""
    maps = ", ".join(["affine_map<(d0) -> (d0)>"] * 3)
    text = f"""func.func @f(%a: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {{
  %r:2 = "linalg.generic"(%a, %a, %a) <{{indexing_maps = [{maps}], iterator_types = [#linalg.iterator_type<parallel>],
    operandSegmentSizes = array<i32: 1, 2>}}> {body} : (tensor<4xi32>, tensor<4xi32>, tensor<4xi32>)
    -> (tensor<4xi32>, tensor<4xi32>)
  func.return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}}"""
    module = text_of_ir.parse_module(text_of_ir.new_context(), text)
    printed = text_of_ir.print_ir(module)
    again = text_of_ir.parse_module(text_of_ir.new_context(), printed)
    verifier.verify(again)
    assert again.is_structurally_equivalent(module)


def test_letters_beyond_ascii_are_read_as_they_were_written():
    text = 'builtin.module attributes {"länge" = 1 : i32} {\n  func.func private @"größe"() loc("Straße")\n}'
    printed = text_of_ir.print_ir(text_of_ir.parse_module(text_of_ir.new_context(), text), locations=Locations.GIVEN)
    again = text_of_ir.parse_module(text_of_ir.new_context(), printed)
    verifier.verify(again)
    assert text_of_ir.print_ir(again, locations=Locations.GIVEN) == printed
    op = again.body.block.first_op
    assert op is not None
    assert ir.node_names(op) == ("Straße",)
    assert op.properties["sym_name"] == StringAttr("größe")


def test_splats_are_read_as_one_element():
    # One by one the elements of this type take a minute.
    began = time.perf_counter()
    text = '"test.op"() {a = dense<-3> : tensor<64x1024x1024xi8>} : () -> ()'
    (op,) = text_of_ir.parse_module(text_of_ir.new_context(), text, "t.mlir").body.block.ops
    assert cast(Any, op.attributes["a"]).data.data == b"\xfd" * (64 << 20)
    assert time.perf_counter() - began < 10
