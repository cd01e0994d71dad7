"""Long lines of IR: broken in networks, which are read, and in other programs only where asked for."""

from __future__ import annotations

import pytest

from tilewright.dialects.core.syntax.text import new_context, parse_module, print_ir

pytestmark = pytest.mark.quick

LONG = 'builtin.module %s {\n  "test.op"() {words = ["%s"]} : () -> ()\n}'


@pytest.mark.parametrize(
    ("attributes", "width", "longest"),
    [('attributes {onnx.graph_name = "n"}', None, 160), ("", None, 500), ("", 80, 80), ("attributes {onnx.a}", 0, 500)],
)
def test_lines(attributes: str, width: int | None, longest: int) -> None:
    module = parse_module(new_context(), LONG % (attributes, '", "'.join(["twenty characters are"] * 20)))
    text = print_ir(module, width=width)
    assert longest - 40 < max(map(len, text.splitlines())) <= longest + 40 * (longest == 500)
    assert print_ir(parse_module(new_context(), text), width=width) == text
