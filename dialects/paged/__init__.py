"""The dialect `paged`: a decoder's keys and values in a paged store, and attention over selected pages."""

from xdsl.ir import Dialect

from .ops import AppendOp, AttendOp, BeginOp, CommitOp, PoolOp
from .selection import DigestOp, ScoreOp, SelectOp
from .sequences import ForkOp, PinOp, SwitchOp, TruncateOp

PAGED = Dialect(
    "paged",
    [
        PoolOp,
        BeginOp,
        AppendOp,
        DigestOp,
        ScoreOp,
        SelectOp,
        AttendOp,
        CommitOp,
        ForkOp,
        SwitchOp,
        TruncateOp,
        PinOp,
    ],
    [],
)
