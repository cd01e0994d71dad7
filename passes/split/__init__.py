"""Parts of a kernel along one of its loops, and whether engines are busier with them."""
