"""Lowering of grids of tiles to loops: addresses of tiles and steps of their transfers."""
