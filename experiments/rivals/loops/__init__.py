"""The loops of the rivals that must be fast, compiled."""
