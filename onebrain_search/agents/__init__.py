"""Agent programs that can use us: where each keeps its servers and skills, and how that is changed and taken back."""
