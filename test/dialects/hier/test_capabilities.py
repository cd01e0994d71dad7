"""Ways in which links transform what they move, functions of targets among them."""

from __future__ import annotations

from pathlib import Path

import pytest
from xdsl.ir import Region

from tilewright.dialects.core.machine import cost_table
from tilewright.dialects.core.machine.link import Link
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.hier import DmaStartOp
from tilewright.dialects.hier.capabilities import missing
from tilewright.errors import Diagnostic
from tilewright.test.machines.make import FOLDER, load_text

pytestmark = pytest.mark.quick

HALF = "%n = arith.constant 1 : i32 %w = arith.shrsi %v, %n : i32"
SQUARE = "%w = arith.muli %v, %v : i32"


def halved(body: Region, _: Link) -> str:
    return "" if any(op.name == "arith.shrsi" for op in body.block.ops) else "it halves, nothing else"


@pytest.fixture(autouse=True)
def _halver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cost_table._TRANSFORMS, "halver.halved", halved)  # pyright: ignore[reportPrivateUsage]


def link(*transforms: str) -> Link:
    return Link("dma", "FAR", "NEAR", 8, transforms=transforms)


def body_of(code: str) -> Region:
    text = f"""func.func @network(%far: memref<8xi32>, %near: memref<8xi32, "NEAR">) {{
      %zero = arith.constant 0 : index
      %t = hier.dma_start %far[%zero] from %near : memref<8xi32>, memref<8xi32, "NEAR"> (%v: i32) {{
        {code}
        hier.yield %w : i32
      }}
      hier.dma_wait %t
      func.return
    }}"""
    module = parse_module(new_context(), text)
    (start,) = (op for op in module.walk() if isinstance(op, DmaStartOp))
    assert start.body is not None
    return start.body


@pytest.mark.parametrize(
    ("code", "transforms", "lacking"),
    [
        (HALF, ["halver.halved"], None),
        (SQUARE, ["halver.halved"], ("scale", "it halves, nothing else")),
        (SQUARE, ["halver.halved", "scale"], None),
        (SQUARE, ["clip"], ("scale", "'arith.muli' in its body")),
    ],
)
def test_a_function_of_a_target_computes_bodies(code: str, transforms: list[str], lacking: tuple[str, str] | None):
    assert missing(body_of(code), {}, link(*transforms)) == lacking


def test_a_function_of_bodies_says_nothing_of_other_needs():
    needs = {"broadcast": "axis 0, which is repeated"}
    assert missing(body_of(HALF), needs, link("halver.halved")) == ("broadcast", "axis 0, which is repeated")


def test_an_unknown_function_is_refused(tmp_path: Path):
    text = f'include = "{FOLDER / "npu_cluster.toml"}"\n[links.dma]\ntransforms = ["halver.halved", "halver.third"]\n'
    with pytest.raises(Diagnostic, match=r"fill, .*halver\.halved.*, found .*halver\.third"):
        load_text(text, tmp_path)
