"""One network over the processors of a phone-class chip: big and little cores, GPU and NPU, in pipeline or switch mode."""
