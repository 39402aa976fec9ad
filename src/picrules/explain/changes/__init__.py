"""What would be predicted with other values, and the smallest changes that matter."""
