"""Common parts of the dialects: structured kernels, scalar semantics."""
