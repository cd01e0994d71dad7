"""Proof of memory safety for verify-memory: happens-before, contents of buffers, tiles and reductions."""
