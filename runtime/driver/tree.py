"""`--mlir-print-ir-tree-dir`: dumps as files, in a tree of folders that mirrors the nesting of the ops."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation

from ...errors import Diagnostic
from ...files import write_text
from ...passes.core.manager import PassPosition, anchored


def anchored_ops(place: PassPosition, module: ModuleOp) -> list[Operation]:
    """Return the ops that a pass runs on."""
    return list(anchored(module, place.step.anchor))


@dataclass
class DumpTree:
    """
    Writes each dump to `builtin_module_no-symbol-name/func_func_f/0_1_cse.mlir`, as mlir-opt names it.

    The folders are those of the op and the ops around it, by name and symbol; the numbers count, for each of them, the
    dumps of it so far. `root` may hold older dumps: those of the same names are replaced.
    """

    root: Path
    _counts: dict[Operation, int] = field(default_factory=dict[Operation, int])

    def write(self, place: PassPosition, op: Operation, text: str) -> None:
        """Write the dump of an op at a pass. Raises Diagnostic where that cannot be done."""
        self._counts[op] = self._counts.get(op, -1) + 1
        around = [op]
        while (parent := around[-1].parent_op()) is not None:
            around.append(parent)
            self._counts.setdefault(parent, 0)
        around.reverse()
        folder = self.root.joinpath(*map(_folder, around))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            remedy = "choose another --mlir-print-ir-tree-dir"
            raise Diagnostic(f"cannot make the folder '{folder}': {error.strerror}", remedy=remedy) from error
        numbers = "_".join(str(self._counts[outer]) for outer in around)
        write_text(folder / f"{numbers}_{place.step.name}.mlir", f"{text}\n")


def _folder(op: Operation) -> str:
    symbol = op.properties.get("sym_name", op.attributes.get("sym_name"))
    name = symbol.data if isinstance(symbol, StringAttr) else "no-symbol-name"
    return f"{op.name.replace('.', '_')}_{name}".replace("/", "_").replace("\\", "_")
