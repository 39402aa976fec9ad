"""Adapters: rows that lie in lazy frames, files and clusters. No algorithm of their own."""
