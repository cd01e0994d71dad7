"""Remarks of passes for people and tools: text, JSON, a page for a browser, and all that concerns one value."""
