"""A prediction with its rule and all that is known about it."""
