"""Bufferisation of state, dynamic slices, loops, branches and padding."""
