"""Turning tensors into buffers: what the conversion remembers, and what it makes of state and of slices at an index."""
