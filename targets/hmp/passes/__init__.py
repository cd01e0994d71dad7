"""Passes of phone-class chips."""
