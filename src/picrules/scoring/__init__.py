"""How good a rule is, from integer counts."""
