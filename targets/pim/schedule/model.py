"""Cost model of a branch on a sub-array of nodes: cycles, bytes on links, weights and workspace of one node."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import gcd
from typing import NamedTuple

from .packing import PACKERS, Rectangle, regular
from .records import BlockStage, MeshProfile


class Scheme(NamedTuple):
    """Partition of a branch onto `head_split` by `patch_split` nodes."""

    head_split: int
    patch_split: int

    def __str__(self) -> str:
        return f"[{self.head_split},{self.patch_split}]"


@dataclass(frozen=True)
class PartitionCandidate:
    """
    A partition of the branches of a stage; costs are those of one node, elements have one byte.

    `program` are the cycles of the program of a block, all layers together, where they replace modelled ones.
    """

    stage: BlockStage
    scheme: Scheme
    mesh: MeshProfile
    program: int | None = None

    @cached_property
    def sub_arrays(self) -> tuple[Rectangle, ...]:
        """Sub-arrays of a layer."""
        if self.mesh.regular:
            return regular(*self.mesh.array, *self.scheme, self.stage.branches // self.stage.parts)
        return PACKERS[self.mesh.packing](*self.mesh.array, *self.scheme)

    @cached_property
    def parallel(self) -> int:
        """Branches computed at a time."""
        return len(self.sub_arrays)

    @cached_property
    def rows(self) -> int:
        """Rows of queries."""
        return -(-self.stage.queries // self.scheme.patch_split)

    @cached_property
    def key_rows(self) -> int:
        """Rows of keys that a node holds of the ring."""
        return -(-self.stage.keys // self.scheme.patch_split)

    @cached_property
    def heads(self) -> int:
        """Heads; the last nodes have fewer where the split does not divide them."""
        return -(-self.stage.heads // self.scheme.head_split)

    @cached_property
    def head_channels(self) -> int:
        """Channels of a head."""
        return self.stage.head_channels

    @cached_property
    def width(self) -> int:
        """Channels of outputs."""
        return self.heads * self.head_channels

    def product(self, m: int, k: int, n: int) -> int:
        """Return the cycles of a product of m x k by k x n on the array of processing elements."""
        return m * -(-k // self.mesh.lanes) * -(-n // self.mesh.lanes)

    @cached_property
    def products(self) -> Mapping[str, tuple[int, int, int, int]]:
        """Products of a block, by phase: how many, and m, k and n of m x k by k x n; `merge` once per stage."""
        p, q, c, d = self.rows, self.width, self.stage.channels, self.head_channels
        own, keys = -(-self.stage.own_keys // self.scheme.patch_split), self.stage.keys
        hidden = self.stage.expansion
        return {
            "merge": (int(self.stage.merges), p, 2 * c, q),
            "Q": (1, p, c, q),
            "K": (1, own, c, q),
            "V": (1, own, c, q),
            "scores": (self.heads, p, d, keys),
            "context": (self.heads, p, keys, d),
            "projection": (1, p, c, q),
            "expand": (1, p, c, hidden * q),
            "reduce": (1, p, hidden * c, q),
        }

    @cached_property
    def compute(self) -> Mapping[str, int]:
        """Cycles of the products of a block, by phase; `merge` once per stage."""
        return {phase: count * self.product(*sizes) for phase, (count, *sizes) in self.products.items()}

    @cached_property
    def accessed(self) -> Mapping[str, int]:
        """Bytes that the products of a block read and write in a node's memory, each operand and result once."""
        return {phase: count * (m * k + k * n + m * n) for phase, (count, m, k, n) in self.products.items()}

    @cached_property
    def sent(self) -> Mapping[str, int]:
        """Bytes of activations that a node sends in a block, by ring; `merge` once per stage."""
        p, q = self.rows, self.width
        heads, patches = self.scheme.head_split - 1, self.scheme.patch_split - 1
        return {
            "merge": 2 * heads * p * q if self.stage.merges else 0,
            "F": heads * p * q if self.mesh.gather_input else 0,
            "K": patches * self.key_rows * q,
            "V": patches * self.key_rows * q,
            "projection": heads * p * q,
            "MLP": heads * p * q * (1 + self.stage.expansion),
            "norms": 2 * 2 * heads * p,
        }

    @cached_property
    def shared(self) -> Mapping[str, float]:
        """Bytes of weights that a node receives from others of its column in a block; `merge` once per stage."""
        square = self.stage.channels * self.width
        fraction = (self.scheme.patch_split - 1) / self.scheme.patch_split
        return {
            "merge": fraction * 2 * square if self.stage.merges else 0.0,
            "QKV": fraction * 3 * square,
            "projection": fraction * square,
            "MLP": fraction * 2 * self.stage.expansion * square,
        }

    def _per_layer(self, costs: Mapping[str, float]) -> float:
        """Return the sum over the blocks of a layer."""
        return costs["merge"] + self.stage.blocks * sum(cost for name, cost in costs.items() if name != "merge")

    @cached_property
    def compute_cycles(self) -> int:
        """Cycles of the products of a layer."""
        return int(self._per_layer(self.compute))

    @cached_property
    def transfer_cycles(self) -> float:
        """Cycles of the rings of activations of a layer."""
        return self._per_layer(self.sent) / self.mesh.link_bytes

    @cached_property
    def sharing_cycles(self) -> float:
        """Cycles of the rings of weights of a layer, one sample a batch."""
        return self._per_layer(self.shared) / self.mesh.link_bytes

    @cached_property
    def cycles(self) -> float:
        """Cycles of a layer; merging is modelled also where blocks have the cycles of their program."""
        if self.program is not None:
            merge = self.sent["merge"] + self.mesh.sharing * self.shared["merge"]
            blocks = self.stage.blocks * self.program / self.layers(self.stage.branches)
            return self.compute["merge"] + merge / self.mesh.link_bytes + blocks
        return self.compute_cycles + self.transfer_cycles + self.mesh.sharing * self.sharing_cycles

    @cached_property
    def energy(self) -> float:
        """
        Picojoules of a node in a layer, without those of the multipliers.

        They are of the bytes of products in its memory, and of those on rings, read, moved over each hop and written.
        """
        heads, patches = (_ring_hops(split) for split in self.scheme)
        sent = {ring: self.mesh.moved(n, patches if ring in ("K", "V") else heads) for ring, n in self.sent.items()}
        shared = {ring: self.mesh.sharing * self.mesh.moved(n, patches) for ring, n in self.shared.items()}
        return self.mesh.memory_energy * self._per_layer(self.accessed) + sum(map(self._per_layer, (sent, shared)))

    @cached_property
    def weights(self) -> float:
        """Bytes of weights that a node stores for each block."""
        return self.stage.weights / (self.scheme.head_split * self.scheme.patch_split)

    @cached_property
    def workspaces(self) -> Mapping[str, int]:
        """Bytes alive in the three phases with the largest working sets."""
        p, q, c = self.rows, self.width, self.stage.channels
        keys, d, hidden = self.key_rows, self.head_channels, self.stage.expansion
        shares = self.scheme.patch_split > 1
        return {
            "projection of Q, K, V": shares * c * q + 3 * p * q,
            "attention": 2 * keys * q + 2 * keys * d + p * self.stage.keys + 2 * p * q,
            "MLP": shares * hidden * c * q + 2 * p * q + hidden * p * q,
        }

    @cached_property
    def workspace(self) -> int:
        """Bytes of the largest of the working sets."""
        return max(self.workspaces.values())

    def layers(self, branches: int) -> int:
        """Return the layers that this many branches take."""
        return -(-branches // self.parallel)


def _ring_hops(nodes: int) -> float:
    """Return the mean hops of a message round a ring in plain order: the last node sends over all others."""
    return 2 * (nodes - 1) / nodes


def schemes(stage: BlockStage, mesh: MeshProfile) -> list[Scheme]:
    """
    Return the partitions of a stage: heads halved down to 1, patches by powers of two down to `minimum_rows`.

    Regular ones divide heads and rows of queries and keys.
    """
    if mesh.regular:
        rows = gcd(stage.queries, stage.keys, stage.own_keys)
        most = -(-stage.queries // mesh.minimum_rows)
        patches = [v for v in range(1, most + 1) if rows % v == 0]
        return [Scheme(u, v) for u in range(1, stage.heads + 1) if stage.heads % u == 0 for v in patches]
    heads = [stage.heads]
    while heads[-1] > 1:
        heads.append(-(-heads[-1] // 2))
    most = -(-stage.queries // mesh.minimum_rows)
    patches = [1 << i for i in range(most.bit_length())]
    return [Scheme(u, v) for u in reversed(heads) for v in patches]


def candidates(stage: BlockStage, mesh: MeshProfile) -> list[PartitionCandidate]:
    """Return the partitions of a stage that the mesh has nodes for, whatever memory they take."""
    of_schemes = (PartitionCandidate(stage, scheme, mesh) for scheme in schemes(stage, mesh))
    return [candidate for candidate in of_schemes if candidate.parallel]
