"""Overlap: concurrency of the items of a block, and the order in which they are issued."""
