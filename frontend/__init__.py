"""ONNX in: the importer, and a zoo of networks built from seeds."""
