"""What work takes on Siracusa: laws in cycles, and what they were fitted to (docs/siracusa-costs.md)."""
