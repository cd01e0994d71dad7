"""Keyboard server of a language model: protocol and documents, in C11 and in Python (docs/keyboard.md)."""
