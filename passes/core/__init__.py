"""What runs passes: their base, the pipeline grammar, the pass manager."""
