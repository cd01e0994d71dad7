"""Recognition of decoder layers whose caches a paged store can hold, and kernels that compute as a store does."""
