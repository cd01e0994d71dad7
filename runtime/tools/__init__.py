"""Uses of compiled networks: check, profile, generate, the ONNX backend."""
