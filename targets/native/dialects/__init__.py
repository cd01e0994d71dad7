"""The dialects of native."""
