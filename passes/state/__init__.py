"""Recognition of caches at the graph level, and growth of dependent tensors to the extent of the state."""
