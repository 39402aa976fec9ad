"""Models without a row, whose answers are the truth of leave-one-out."""

import numpy as np

# Settings with which a personal model is fitted at once.
FAST = {"cuts": 8, "max_length": 2, "smoothing": 2, "alpha": 1, "class_offset": False}


def ask_without(model, row):
    """Train a model on all training rows but one, and ask it about that one."""
    codes, labels = model.training.row_codes, model.training.row_labels
    others = np.arange(len(labels)) != row
    alone = model.trained_on(np.ascontiguousarray(codes[:, others]), labels[others])
    return alone.ask(np.ascontiguousarray(codes[:, [row]]))
