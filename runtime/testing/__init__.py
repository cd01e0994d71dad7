"""Tests of passes: programs before and after passes, random programs, lit tests and their CHECK lines."""
