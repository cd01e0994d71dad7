"""PIM: visual Transformers partitioned, scheduled and placed on a mesh of memory nodes."""
