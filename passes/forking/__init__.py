"""Forks of a kernel over workers: selection of the loops to partition, and the function with one worker's share."""
