"""Files in, index out."""
