"""Tests of passes: lit tests and their CHECK lines, programs before and after passes, random programs."""
