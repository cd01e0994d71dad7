"""Printer of `emitc` as C text: statements, expressions and files."""
