"""What the dialects share: structured kernels, scalar semantics."""
