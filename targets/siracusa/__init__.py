"""Siracusa: eight RISC-V cores and the N-Eureka NPU on one near memory, with a weight memory beside it."""
