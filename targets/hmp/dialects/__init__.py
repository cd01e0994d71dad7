"""Dialects of phone-class chips."""
