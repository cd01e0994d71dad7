"""Tiles, buffers and addresses: what planning and allocation are made of."""
