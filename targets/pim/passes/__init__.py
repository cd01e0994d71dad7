"""Passes of PIM."""
