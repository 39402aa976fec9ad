"""What chance alone would do: shuffled labels and resampled training rows."""
