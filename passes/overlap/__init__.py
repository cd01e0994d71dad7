"""Overlap of transfers and kernels: dependences between the items of a block, and list scheduling."""
