"""Simulators of the chip that others wrote; each file is a place of `--on`."""
