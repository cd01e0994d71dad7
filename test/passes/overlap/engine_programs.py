"""Programs of kernels of two engines and of transfers on places of near memory, which may overlap."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.ir import Array
from tilewright.passes.attach_machine import AttachMachinePass
from tilewright.runtime.interpreter import run_module

CONTEXT = new_context()


MACHINE = Path(__file__).parents[2] / "machines" / "two_engines.toml"


SIZE = 16


PLACES = 5


ACCESS = "affine_map<(d0) -> (d0)>"


def kernel(number: int, engine: str, ins: tuple[int, int], out: int) -> str:
    """A kernel of two operands in near memory, of which the output may be one."""
    near = f'memref<{SIZE}xi8, "L1">'
    return f"""
    linalg.generic {{indexing_maps = [{ACCESS}, {ACCESS}, {ACCESS}], iterator_types = ["parallel"]}}
        ins(%p{ins[0]}, %p{ins[1]} : {near}, {near}) outs(%p{out} : {near}) attrs = {{engine = "{engine}"}} {{
    ^bb0(%i: i8, %j: i8, %o: i8):
      %k{number} = arith.constant {number + 3} : i8
      %m{number} = arith.muli %i, %k{number} : i8
      %s{number} = arith.addi %m{number}, %j : i8
      linalg.yield %s{number} : i8
    }}"""


def transfer(number: int, place: int, *, outward: bool) -> str:
    """A transfer between the far buffer and a place in near memory, waited for at once."""
    far, way = ("out", "from") if outward else ("far", "to")
    return f"""
    %t{number} = hier.dma_start %{far}[%at{place}] {way} %p{place} : memref<{SIZE * PLACES}xi8>, memref<{SIZE}xi8, "L1">
    hier.dma_wait %t{number}"""


def program(steps: list[str], addresses: list[int]) -> ModuleOp:
    """A function of these steps on places of near memory, which may overlap, and that then writes all of them."""
    steps = [*steps, *(transfer(len(steps) + place, place, outward=True) for place in range(PLACES))]
    views = "".join(
        f"""
    %a{n} = arith.constant {address} : index
    %at{n} = arith.constant {n * SIZE} : index
    %p{n} = "memref.view"(%memory, %a{n}) : (memref<256xi8, "L1">, index) -> memref<{SIZE}xi8, "L1">"""
        for n, address in enumerate(addresses)
    )
    text = f"""
  "memref.global"() <{{sym_name = "near", type = memref<256xi8, "L1">, initial_value = dense<1> : tensor<256xi8>,
      sym_visibility = "private"}}> : () -> ()
  func.func @network(%far: memref<{SIZE * PLACES}xi8> {{onnx.name = "far"}},
                     %out: memref<{SIZE * PLACES}xi8> {{onnx.name = "out", tilewright.output}}) {{
    %memory = memref.get_global @near : memref<256xi8, "L1">{views}{"".join(steps)}
    func.return
  }}"""
    module = parse_module(CONTEXT, text)
    AttachMachinePass(target=str(MACHINE)).apply(CONTEXT, module)
    return module


def inputs() -> dict[str, Array]:
    return {"far": np.arange(SIZE * PLACES, dtype=np.int8)}


def results(module: ModuleOp) -> Array:
    """What the module computes op by op."""
    return run_module(module, inputs())["out"]
