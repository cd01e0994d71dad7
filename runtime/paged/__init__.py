"""Paged key-value store: pages of keys and values, digests in memory, selection; in C and in Python."""
