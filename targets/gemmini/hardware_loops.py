"""Products and convolutions by Gemmini's loops in hardware: loops over their tiles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from xdsl.dialects.builtin import FloatAttr, f32

from ...dialects.core.instruction import Instruction
from ...dialects.core.kernel import Kernel
from ...dialects.core.machine.model import Machine
from ...dialects.core.scalars import Index
from ...dialects.nn import ConvOp
from ...dialects.nn.contraction import ContractionOp
from ...errors import Diagnostic
from ...ir import shape_of, where
from ...passes.loops.blocks import PartLoops, parts
from ...passes.loops.nest import Nest
from ...passes.memory.views import layout_of
from .dialects.gemmini.instructions import fence
from .dialects.gemmini.loops import (
    config_loop,
    config_loop_conv,
    loop_conv_ws,
    loop_conv_ws_bias,
    loop_ws,
    loop_ws_bias,
)
from .hardware_tiles import LoopForm, array_of, axis_of, form_of, stride_axes, windows_of
from .instance import ArrayInstance, instance_of


class HardwareLoops(PartLoops):
    """Loops over the tiles of a kernel, each a loop in hardware."""

    def __init__(self, op: ContractionOp, kernel: Kernel, nest: Nest, instance: ArrayInstance, form: LoopForm):
        super().__init__(kernel, nest)
        self.op, self.form, self.instance = op, form, instance
        self.names = kernel.loop_names
        self.x, self.w, self.y = *kernel.inputs, *kernel.outputs

    def emit(self) -> None:
        """Emit the loops, and a fence behind them: results are there for all."""
        (self._convolution if isinstance(self.op, ConvOp) else self._product)()
        self.nest.insert(fence())

    def _product(self) -> None:
        axes = [axis_of(self.kernel, access, loop) for access, loop in ((self.x, "m0"), (self.w, "k0"), (self.y, "m0"))]
        self._check_contiguous("k0", "n0", "n0")
        buffers = [access.value for access in (self.x, self.w, self.y)]
        strides = {f"{name}_stride": (axis, 1) for name, axis in zip("abc", axes, strict=True)}
        self.nest.insert(config_loop(*buffers, **strides, **self._scaling()))
        numbers = {"depth": self._extent("k0")}
        self._tiles(("m0", "n0"), ("rows", "cols"), loop_ws, loop_ws_bias, numbers)

    def _convolution(self) -> None:
        windows = windows_of(self.kernel)
        assert not isinstance(windows, str)
        step, dilation = windows
        self._check_contiguous("k0", "n0", "n0")
        strides = {name: (axis, 1) for name, (_, axis) in stride_axes(self.kernel).items()}
        buffers = [access.value for access in (self.x, self.w, self.y)]
        steps = {"step": step, "dilation": dilation}
        self.nest.insert(config_loop_conv(*buffers, **strides, **steps, **self._scaling()))
        numbers = {"depth": self._extent("k0"), "taps_down": self._extent("k1"), "taps_across": self._extent("k2")}
        self._tiles(("m1", "m2", "n0"), ("rows", "cols", "features"), loop_conv_ws, loop_conv_ws_bias, numbers | steps)

    def _scaling(self) -> dict[str, object]:
        factor = self.nest.attribute(FloatAttr(self.form.epilogue.scale, f32))
        return {"scale": factor, "relu": self.form.epilogue.relu}

    def _extent(self, name: str) -> int:
        return self.kernel.bounds[self.names.index(name)]

    def _check_contiguous(self, *names: str) -> None:
        """Raise Diagnostic where columns of an operand are not contiguous; `names` are the loops along them."""
        for access, name in zip((self.x, self.w, self.y), names, strict=True):
            axis = axis_of(self.kernel, access, name)
            strides, _ = layout_of(access.value)
            if shape_of(access.value)[axis] > 1 and strides[axis] != 1:
                raise Diagnostic(
                    "the rows of an operand of a loop in hardware are not contiguous",
                    where=where(self.op),
                    expected=f"axis {axis} innermost",
                    found=str(access.value.type),
                    remedy="run permute-operands before, or map the kernel to the core (the attribute 'engine')",
                )

    def _tiles(
        self, loops: Sequence[str], sizes: Sequence[str], plain: Instruction, biased: Instruction,
        numbers: Mapping[str, int],
    ) -> None:  # fmt: skip
        """Emit the loops over tiles, those over batches outside."""
        outer = [loop for loop, name in enumerate(self.names) if name[0] == "b" or (name == "m0" and "m0" not in loops)]
        for loop in range(len(self.names)):
            self.position[loop] = 0
        with self.over(outer, name="b"):
            self._each(list(zip(loops, self.form.tile.extents, sizes, strict=True)), plain, biased, dict(numbers))

    def _each(
        self, left: list[tuple[str, int, str]], plain: Instruction, biased: Instruction, numbers: dict[str, int]
    ) -> None:
        if not left:
            self._tile(plain, biased, numbers)
            return
        (name, tile, size), *inner = left
        loop = self.names.index(name)
        for part in parts(0, self.kernel.bounds[loop], tile):
            with self.blocks("t", part) as self.position[loop]:
                self._each(inner, plain, biased, {**numbers, size: part.size})

    def _tile(self, plain: Instruction, biased: Instruction, numbers: Mapping[str, int]) -> None:
        instance, bias = self.instance, self.form.epilogue.bias
        operands = [(access.value, self.indices_of(access)) for access in (self.x, self.w)]
        memories = {
            "dim": instance.dim,
            "spad_rows": instance.banks * instance.bank_rows,
            "acc_rows": instance.acc_rows,
        }
        result = (self.y.value, self.indices_of(self.y))
        if bias is None:
            self.nest.insert(plain(*operands, result, **numbers, **memories))
            return
        at: list[Index] = [*([0] * (len(shape_of(bias)) - 1)), self.position[self.names.index("n0")]]
        self.nest.insert(
            biased(*operands, (bias, [self.nest.value(index) for index in at]), result, **numbers, **memories)
        )


def lower_to_loops(op: ContractionOp, kernel: Kernel, nest: Nest, machine: Machine) -> None:
    """Emit the loops of a kernel that is mapped to the engine `looper`. Raises Diagnostic for one that they refuse."""
    support = machine.engine("looper").support(op)
    form = form_of(kernel, array_of(support.parameters, kernel)) if support is not None else "the engine has no such op"
    if isinstance(form, str) or form.epilogue.scale <= 0:
        raise Diagnostic(
            f"'{op.name}' is no loop in hardware",
            where=where(op),
            found=form if isinstance(form, str) else f"sums that are scaled by {form.epilogue.scale}",
            remedy="map it to the core (the attribute 'engine')",
        )
    HardwareLoops(op, kernel, nest, instance_of(machine), form).emit()
