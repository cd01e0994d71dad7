"""Finding caches at the graph level, and letting what is computed from them have as many rows as the state."""
