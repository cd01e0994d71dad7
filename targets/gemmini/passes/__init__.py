"""Passes of Gemmini."""
