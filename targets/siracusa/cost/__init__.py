"""
Cost model of Siracusa: laws in cycles, and the micro-benchmarks that they were fitted to (docs/siracusa-costs.md).
"""
