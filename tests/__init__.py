"""Tests of picrules; a package, so that no installed package of this name is found instead."""
