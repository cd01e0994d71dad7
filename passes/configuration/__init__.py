"""Dataflow of configuration registers: which instructions read and write them, over loops, branches and calls."""
