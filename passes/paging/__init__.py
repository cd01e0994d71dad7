"""Recognition of decoder layers whose caches a paged store can hold."""
