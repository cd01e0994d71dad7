"""Lit tests as tests of lit and of pytest, with opt-tool and filecheck in their own processes."""
