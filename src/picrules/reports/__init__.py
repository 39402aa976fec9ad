"""Pictures and pages of results: they draw numbers, and compute none."""
