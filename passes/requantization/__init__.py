"""Requantisations of constant factors in the integers of a small machine."""
