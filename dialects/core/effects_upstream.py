"""Memory effects of upstream's ops that xDSL 0.74 does not declare, or declares without saying on which buffer."""

from __future__ import annotations

from collections.abc import Mapping, Set
from typing import cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Operation
from xdsl.traits import (
    EffectInstance,
    MemoryEffect,
    MemoryEffectKind,
    MemoryReadEffect,
    NoMemoryEffect,
    RecursiveMemoryEffect,
)

from .effect_traits import (
    Calls,
    CopyEffects,
    ElementEffects,
    OperandEffects,
    OperandRelease,
    ResultAllocation,
    ViewLike,
)


class _RuntimeCall(MemoryEffect):
    """
    A call in C: pure where it gives a result and is of a function of the runtime headers, named `tw_..`.

    The attribute `tilewright.effect` says that such a function does more; the effects of all others are unknown.
    """

    @classmethod
    def get_effects(cls, op: Operation) -> Set[EffectInstance] | None:
        of_runtime = cast(StringAttr, op.properties["callee"]).data.startswith("tw_")
        return frozenset() if of_runtime and op.results and "tilewright.effect" not in op.attributes else None


_NONE, _REGIONS, _VIEW, _FRESH = NoMemoryEffect(), RecursiveMemoryEffect(), ViewLike(), ResultAllocation()
_LOAD = OperandEffects(reads=("memref",))
_STORE = OperandEffects(writes=("memref",))

UPSTREAM: Mapping[str, MemoryEffect] = {
    "affine.for": _REGIONS,
    "affine.load": _LOAD,
    "affine.min": _NONE,
    "affine.parallel": _REGIONS,
    "affine.store": _STORE,
    "affine.vector_load": _LOAD,
    "affine.vector_store": _STORE,
    "arith.extsi": _NONE,
    "arith.remui": _NONE,
    "bufferization.to_tensor": _LOAD,
    "cf.br": _NONE,
    "cf.cond_br": _NONE,
    "emitc.add": _NONE,
    "emitc.apply": MemoryReadEffect(),
    "emitc.call_opaque": _RuntimeCall(),
    "func.call": Calls(),
    "func.return": _NONE,
    "linalg.index": _NONE,
    "linalg.yield": _NONE,
    "memref.alloc": _FRESH,
    "memref.alloca": _FRESH,
    "memref.alloca_scope": _REGIONS,
    "memref.alloca_scope.return": _NONE,
    "memref.assume_alignment": _VIEW,
    "memref.atomic_rmw": OperandEffects(reads=("memref",), writes=("memref",)),
    "memref.cast": _VIEW,
    "memref.collapse_shape": _VIEW,
    "memref.copy": CopyEffects(reads=("source",), writes=("destination",)),
    "memref.dealloc": OperandRelease("memref"),
    "memref.expand_shape": _VIEW,
    "memref.load": ElementEffects(MemoryEffectKind.READ),
    "memref.memory_space_cast": _VIEW,
    "memref.reinterpret_cast": _VIEW,
    "memref.store": ElementEffects(MemoryEffectKind.WRITE),
    "memref.subview": _VIEW,
    "memref.view": _VIEW,
    "ml_program.global_load_const": _NONE,
    "scf.execute_region": _REGIONS,
    "tensor.yield": _NONE,
}
"""Op name -> its declaration, which takes the place of xDSL's."""

DIVISIONS: Mapping[str, bool] = {
    "arith.ceildivsi": True,
    "arith.ceildivui": False,
    "arith.divsi": True,
    "arith.divui": False,
    "arith.floordivsi": True,
    "arith.remsi": True,
    "arith.remui": False,
    "index.ceildivs": True,
    "index.ceildivu": False,
    "index.divs": True,
    "index.divu": False,
    "index.floordivs": True,
    "index.rems": True,
    "index.remu": False,
}
"""Op name -> whether its operands are signed. Undefined are a division by 0, and a signed one of the least by -1."""
