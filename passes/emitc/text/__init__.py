"""C as text: statements, expressions and files that the output format `c` prints of a module of `emitc`."""
