"""What may run at once in a block, and in which order it is started."""
