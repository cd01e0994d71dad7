"""The passes of Siracusa."""
