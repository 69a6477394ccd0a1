"""Benchmarks of speed and memory, as ratios; nothing here is a test, and nothing is asserted."""
