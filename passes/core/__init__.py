"""Pass infrastructure: the base class of passes, the pipeline grammar, the pass manager."""
