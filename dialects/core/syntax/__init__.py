"""Text of IR: parser, printer, and the syntax of ops where xDSL's differs from upstream's."""
