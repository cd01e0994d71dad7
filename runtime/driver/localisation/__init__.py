"""Fault localisation: the first op after a pass that computes another value than its counterpart before."""
