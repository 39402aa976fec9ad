"""From the columns of a table to small integer codes."""
