"""Geometry of tiles: shapes, streams in order of use."""
