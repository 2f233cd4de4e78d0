"""Reading a question: what kind of answer it wants (`detect`), and what it is about (`topic`)."""

from onebrain_search.question.asked import asks_current, asks_recent, detect
from onebrain_search.question.subject import topic

__all__ = ["asks_current", "asks_recent", "detect", "topic"]
