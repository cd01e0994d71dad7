"""Tiling, residency and static allocation in the near memory levels."""
