"""The classifiers that the paper compares, and some more, behind one interface.

A rival has `fit(X, y)`, `predict(X)` and `rules(X)`: the rules behind its answers, each with the
number of rows of X that it covers. Classifiers that answer each row by a rule of its own list
the distinct rules of the rows of X; the others list their rule set, whatever X is.
"""
