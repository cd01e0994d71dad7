"""The dialect `paged`: a decoder's keys and values in a paged store, and attention over selected pages."""

from xdsl.ir import Dialect

from .ops import AppendOp, AttendOp, BeginOp, CommitOp, PagedPoolOp
from .selection import DigestOp, ScoreOp, SelectOp
from .sequences import ForkSequenceOp, PinOp, SwitchOp, TruncateOp

PAGED = Dialect(
    "paged",
    [
        PagedPoolOp,
        BeginOp,
        AppendOp,
        DigestOp,
        ScoreOp,
        SelectOp,
        AttendOp,
        CommitOp,
        ForkSequenceOp,
        SwitchOp,
        TruncateOp,
        PinOp,
    ],
    [],
)
