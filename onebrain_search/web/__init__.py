"""The web, asked last and only by consent: what to ask, whom, and what the answers are worth."""
