"""Gemmini: a systolic array with a scratchpad and accumulators, beside a RISC-V core."""
