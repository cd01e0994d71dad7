"""Random programs that verify and have no undefined behaviour, by seed."""
