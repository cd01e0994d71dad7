"""Partition of a network over engines: why an engine did not take a kernel, and a report of all."""
