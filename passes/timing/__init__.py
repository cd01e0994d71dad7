"""Time of a machine: resources that are occupied, and one timeline of the programs that share them."""
