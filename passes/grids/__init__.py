"""Grids of tiles as loops: where tiles lie and when they move."""
