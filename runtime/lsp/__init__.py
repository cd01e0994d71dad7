"""Language server for `.mlir` files: `tilewright lsp`."""
