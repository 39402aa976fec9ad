"""The paper's data sets and figures; beside the package, not in it."""
