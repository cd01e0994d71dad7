"""Register-blocked loops of kernels on a cluster's cores."""
