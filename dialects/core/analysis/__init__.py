"""Analyses of scalar integer code: exact arithmetic, value ranges, affine forms."""
