"""Passes of SG2002."""
