"""The rules of other models, and how they compare."""
