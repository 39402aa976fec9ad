"""The pages, drawn from what the library says; nothing is computed here."""
