"""Records that the scheduler reads: stages of a network, parameters of a mesh."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, cast

from ....errors import Diagnostic, did_you_mean
from ....files import read_description

PROFILES = Path(__file__).with_name("profiles.toml")
PACKINGS = ("two-block", "guillotine")


@dataclass(frozen=True)
class BlockStage:
    """
    Equal Transformer blocks of `branches` independent branches each: windows, stripes, or the whole image.

    A branch has `queries` rows of `channels`, attends to `keys` rows, and projects `own_keys` rows to K and V.
    `expansion` is the ratio of the hidden channels of the MLP; `merges` where patch merging comes first. A
    branch computes one of `parts` of the channels, from all of them: `heads` are those of its part.
    """

    name: str
    channels: int
    heads: int
    blocks: int
    branches: int
    queries: int
    keys: int
    own_keys: int
    expansion: int = 4
    merges: bool = False
    parts: int = 1

    @property
    def head_channels(self) -> int:
        """Channels of a head."""
        return self.channels // (self.heads * self.parts)

    @property
    def weights(self) -> int:
        """Bytes of the weights of a block: Q, K, V, projection, and the two layers of the MLP."""
        return (4 + 2 * self.expansion) * self.channels**2


@dataclass(frozen=True)
class MeshProfile:
    """Parameters of the mesh and of its cost model; `profiles.toml` has their units."""

    array: tuple[int, int] = (16, 16)
    lanes: int = 8
    node_bytes: int = 8 << 20
    link_bytes: int = 8
    mhz: int = 400
    minimum_rows: int = 8
    sharing: float = 1.0
    gather_input: bool = True
    packing: str = "two-block"
    link_energy: float = 8.8
    memory_energy: float = 5.28
    regular: bool = False
    """Only partitions that programs follow: one a stage, in equal parts, whose sub-arrays fill each layer."""

    def __post_init__(self) -> None:
        """Raise Diagnostic for a parameter outside of its range."""
        numbers = {"lanes", "node_bytes", "link_bytes", "mhz", "minimum_rows"}
        low = [name for name in numbers if getattr(self, name) < 1]
        if len(self.array) != 2 or min(self.array) < 1:
            raise Diagnostic("not a mesh", expected="array = [rows, columns], both at least 1", found=str(self.array))
        if low:
            raise Diagnostic(f"'{min(low)}' is out of range", expected="at least 1", found=str(getattr(self, min(low))))
        for name in ("sharing", "link_energy", "memory_energy"):
            if getattr(self, name) < 0:
                raise Diagnostic(f"'{name}' is out of range", expected="at least 0", found=str(getattr(self, name)))
        if self.packing not in PACKINGS:
            raise Diagnostic("an unknown packing", expected=" or ".join(PACKINGS), found=self.packing)

    def moved(self, size: float, hops: float) -> float:
        """Return the picojoules of bytes that are read in a node, pass links and are written in another."""
        return size * (hops * self.link_energy + 2 * self.memory_energy)

    def milliseconds(self, cycles: float) -> float:
        """Return the time of these cycles."""
        return cycles / self.mhz / 1000


def read_profile(name: str, file: Path = PROFILES) -> MeshProfile:
    """Return the parameters of a profile. Raises Diagnostic for an unknown profile or parameter."""
    try:
        tables = tomllib.loads(read_description(file))
    except tomllib.TOMLDecodeError as error:
        raise Diagnostic(f"not a TOML file: {error}", str(file)) from error
    if name not in tables:
        remedy = did_you_mean(name, tables)
        raise Diagnostic(f"an unknown profile: {name}", str(file), ", ".join(tables), name, remedy)
    table = cast("dict[str, Any]", {**tables.get("default", {}), **tables[name]})
    names = {field.name for field in fields(MeshProfile)}
    for key in table.keys() - names:
        raise Diagnostic(
            f"an unknown parameter: {key}", str(file), ", ".join(sorted(names)), key, did_you_mean(key, names)
        )
    if "array" in table:
        table["array"] = tuple(table["array"])
    mesh = MeshProfile(**table)
    return replace(mesh, sharing=float(mesh.sharing))
