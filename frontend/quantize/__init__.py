"""Post-training quantisation: a float ONNX network and calibration data in, a plain ONNX network of integers out."""
