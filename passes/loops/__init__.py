"""Index arithmetic, loops and generic ops made from the kernel view."""
