"""Retry policy."""


def wait(tries: int) -> int:
    """Five tries is the limit, as a needle shows."""
    return 2**tries
