"""Layout analysis and rewriting of `convert-layout`."""
