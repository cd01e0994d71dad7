"""The parts of verify-memory."""
