"""Tables of `tilewright`: results of compilation and of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from ..console import table_console
from ..files import write_bytes


def print_compiled(report: Mapping[str, Any], files: Sequence[Path]) -> None:
    """Print the cost of a compiled network, and the files that it was written to."""
    arena, layers = report["arena"], report["layers"]
    least = f" (at least {arena['lower_bound']:,} are alive at once)" if arena["lower_bound"] else ""
    print(f"arena    {arena['bytes']:,} bytes{least}")
    for level in report["levels"] if len(report["levels"]) > 1 else ():
        used = {name: level[name] for name in ("arena", "weights", "state") if level[name]}
        text = ", ".join(f"{name} {count:,}" for name, count in used.items()) or "nothing"
        print(f"         {level['name']} {sum(used.values()):,} of {level['size']:,} bytes: {text}")
    print(f"weights  {report['weights_bytes']:,} bytes")
    if "state_bytes" in report:
        print(f"state    {report['state_bytes']:,} bytes")
    print(f"work     {report['macs']:,} multiply-accumulates in {len(layers)} layers, {report['kernels']} kernels")
    print(f"stack    {report['stack_bytes']:,} bytes at most")
    if report["modelled_cycles"] is not None:
        print(f"time     {report['modelled_cycles']:,} cycles, modelled")
    print(f"files    {' '.join(str(file) for file in files)}")


def save_outputs(outputs: Mapping[str, object], path: Path | None) -> None:
    """Print a summary of outputs, and write them to a file, whole or not at all. Raises Diagnostic where that fails."""
    import numpy as np
    from rich.table import Table

    table = Table("output", "type", "shape", "values")
    for name, value in outputs.items():
        array = np.asarray(value)
        head = " ".join(str(item) for item in array.flat[:8]) + (" ..." if array.size > 8 else "")
        table.add_row(name, str(array.dtype), "x".join(map(str, array.shape)), head)
    table_console().print(table)
    if path is None:
        return
    archive = BytesIO()
    with ZipFile(archive, "w") as members:  # an output may have the name of an argument of numpy.savez
        for name, value in outputs.items():
            with members.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(value), allow_pickle=False)
    write_bytes(path, archive.getvalue())
