"""The parts of convert-to-emitc."""
