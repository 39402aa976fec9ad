"""Every loop that must be fast; imports NumPy and Numba, nothing of picrules."""
