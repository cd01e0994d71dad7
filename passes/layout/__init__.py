"""What convert-layout is made from."""
