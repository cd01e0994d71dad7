"""The machines: one folder each, with all that serves one machine only."""
