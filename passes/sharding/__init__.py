"""Kernels over the instances of a level: which instance has which part of a value, and the programs that compute it."""
