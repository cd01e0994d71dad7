"""C for this machine: channels last, kernels in vector registers."""
