"""What all generated packages share. Nothing is imported here: each part is loaded by whoever uses it."""
