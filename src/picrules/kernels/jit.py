"""How kernels are compiled: two decorators for the whole package."""

from __future__ import annotations

from functools import partial

from numba import njit

# Compiled once for a machine, without Python's lock, and dividing as NumPy does: kernels see to
# it that no divisor is 0. Never `fastmath`: scores must be the same to the bit everywhere.
kernel = partial(njit, cache=True, nogil=True, error_model="numpy")

# For functions that only kernels call: without the door for Python, which takes about a second
# to compile where arguments are tuples of arrays.
inner_kernel = partial(kernel, no_cpython_wrapper=True, no_cfunc_wrapper=True)
