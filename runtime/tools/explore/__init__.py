"""Design-space exploration: `tilewright explore`."""
