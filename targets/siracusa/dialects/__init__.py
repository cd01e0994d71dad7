"""The dialects of Siracusa."""
