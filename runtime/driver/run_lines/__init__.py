"""RUN lines of lit tests: their text, and the shell that runs them."""
