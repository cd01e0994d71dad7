"""CHECK lines of lit tests, written from the output that the tests' commands give."""
