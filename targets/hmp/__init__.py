"""One network over the processors of a phone-class chip, in pipeline or switch mode."""
