"""Lowering of kernels to loops and generic ops: index arithmetic, loop nests, scalar code."""
