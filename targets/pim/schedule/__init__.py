"""Spatial and temporal schedules of Transformer stages on a mesh: cost model, layers, placement."""
