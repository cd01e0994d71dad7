"""The passes of native."""
