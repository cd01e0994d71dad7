"""Machine model: memories, links, engines and clocks as `machine.toml` describes them, and cost functions."""
