"""Commands `tilewright tpu ...`."""
