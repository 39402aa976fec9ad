"""Model files: one archive of JSON and arrays, checked before anything is built."""
