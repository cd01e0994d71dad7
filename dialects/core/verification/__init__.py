"""Verification of IR: definitions, dominance, terminators."""
