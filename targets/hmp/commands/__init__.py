"""Commands `tilewright coop ...`."""
