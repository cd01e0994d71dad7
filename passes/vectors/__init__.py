"""Scalarization of vectors."""
