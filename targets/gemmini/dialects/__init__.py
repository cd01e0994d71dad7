"""The dialect of Gemmini."""
