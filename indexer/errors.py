"""Every error of the project.

OneBrainError                what happened, where, and what to do next, in one line
├── ConfigError              a settings file cannot be used
├── ScanError                a root cannot be listed, or must not be indexed unasked
├── ParseError               a file cannot be read as its format
├── EmbedError               vectors cannot be made
│   └── ModelMissing         the model is not on this machine
├── StoreError               the index cannot be opened or written
│   ├── Busy                 another process is writing
│   └── Damaged              the index is proven broken; the next run makes it anew
├── QueryError               a question or filter cannot be understood
├── RequestError             a request has an unknown field, or a value that the field does not take
├── DaemonError              the daemon does not do what it was asked
│   └── Unreachable          no daemon answers
├── NotFound                 a path, line or section does not exist
└── WebError                 the web was asked and did not answer as it should
    └── Refused              an address that must not be asked
"""

from __future__ import annotations


class OneBrainError(Exception):
    """Base of all errors; `str()` is one line: what, where, what to do next."""

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        """Keep the three parts and join them into the one line that is shown."""
        self.what, self.where, self.fix = what, where, fix
        super().__init__(what + (f" ({where})" if where else "") + (f": {fix}" if fix else ""))


def reason(error: Exception | None) -> str:
    """Why a library failed: the first line of what its error says, or its kind where it says nothing."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]


class ConfigError(OneBrainError):
    """A settings file cannot be used."""


class ScanError(OneBrainError):
    """A root cannot be listed, or must not be indexed unasked."""


class ParseError(OneBrainError):
    """A file cannot be read as its format."""


class EmbedError(OneBrainError):
    """Vectors cannot be made."""


class ModelMissing(EmbedError):
    """The model is not on this machine."""


class StoreError(OneBrainError):
    """The index cannot be opened or written."""


class Busy(StoreError):
    """Another process is writing the index."""


class Damaged(StoreError):
    """The index is proven broken; the next run makes it anew."""


class QueryError(OneBrainError):
    """A question or filter cannot be understood."""


class RequestError(OneBrainError):
    """A request has an unknown field, or a value that the field does not take."""


class DaemonError(OneBrainError):
    """The daemon does not do what it was asked."""


class Unreachable(DaemonError):
    """No daemon answers."""


class NotFound(OneBrainError):
    """A path, line or section does not exist."""


class WebError(OneBrainError):
    """The web did not answer as it should.

    `kind` is `timeout`, `unreachable`, `malformed`, `too_big`, `redirects` or `refused`.
    """

    def __init__(self, what: str, *, kind: str = "unreachable", where: str = "", fix: str = "") -> None:
        """Keep the kind beside the three parts."""
        self.kind = kind
        super().__init__(what, where=where, fix=fix)


class Refused(WebError):
    """An address that must not be asked."""

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        """Keep the three parts; the kind is `refused`."""
        super().__init__(what, kind="refused", where=where, fix=fix)
