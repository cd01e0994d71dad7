"""Simulators that others wrote: found, run as processes with a time limit, and given programs for bare machines."""
