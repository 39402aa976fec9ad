"""How covers are counted: two engines, one answer."""
