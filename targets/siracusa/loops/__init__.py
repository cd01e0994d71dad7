"""Loops over blocks of sums, for kernels that the cores of a cluster run."""
