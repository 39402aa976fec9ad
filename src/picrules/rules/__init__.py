"""Conditions and rules: frozen values and their text."""
