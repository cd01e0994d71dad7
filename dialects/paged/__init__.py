"""The dialect `paged`: a decoder's keys and values in a paged store, and attention over selected pages."""

from xdsl.ir import Dialect

from .ops import AppendOp, AttendOp, BeginOp, CommitOp, PoolOp

PAGED = Dialect("paged", [PoolOp, BeginOp, AppendOp, AttendOp, CommitOp], [])
