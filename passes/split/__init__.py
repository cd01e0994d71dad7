"""Splits of a kernel along one of its loops, and their effect on the makespan."""
