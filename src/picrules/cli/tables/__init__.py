"""Tables in files, read in chunks: how they are written, their columns and their kinds."""
