"""Question in, answer out."""
