"""Tilewright: a multi-level IR compiler for neural networks on small heterogeneous machines."""
