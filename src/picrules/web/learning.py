"""Learn from a table that was uploaded: look at it, fit in a process of its own, serve the result."""


class Learner:
    """To be."""
