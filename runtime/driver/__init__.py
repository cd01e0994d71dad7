"""opt-tool's driver, and the observers of pipelines that it has: dumps, timing, interpretation after each pass."""
