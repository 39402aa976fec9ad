"""How fast picrules is; every figure is a ratio, or a time, measured in one run."""
