"""Output formats of cooperative processors."""
