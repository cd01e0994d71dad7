"""Reduction of a failing invocation: delta debugging over the passes of a pipeline and the IR that goes into it."""
