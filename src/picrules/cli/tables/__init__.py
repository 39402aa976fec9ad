"""Tables in files: read in chunks, brought to the columns of a model, and written."""
