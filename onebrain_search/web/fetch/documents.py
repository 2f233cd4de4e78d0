"""Documents of the web, as PDF, read in a process of their own: one that ends its reader does not end us."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from indexer.errors import ParseError

SECONDS: Final = 30.0  # the attempt ends earlier; this only keeps a reader that hangs from staying
READ: Final = "import sys; from onebrain_search.web.fetch.documents import read; read(sys.argv[1])"
_UNREADABLE: Final = 3  # exit code of the reader for what its parser refuses, with the reason as the text


def text_of(body: bytes, suffix: str, where: str) -> str:
    """The text of a document by the parser for this suffix. Raises ParseError."""
    top = str(Path(__file__).parents[3])
    path = os.pathsep.join([top, *filter(None, [os.environ.get("PYTHONPATH")])])
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", READ, suffix],
            input=body, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=SECONDS, check=False,
            env={**os.environ, "PYTHONPATH": path}, creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise ParseError(f"its text was not read within {SECONDS:g} s", where=where) from error
    text = done.stdout.decode("utf-8", "replace")
    if done.returncode:
        raise ParseError(text if done.returncode == _UNREADABLE else "it ends the program that reads it", where=where)
    return text.strip()


def read(suffix: str) -> None:
    """Print the text of the document on stdin, or why there is none. Runs in the process of its own, and ends it."""
    from indexer.parse import parse
    from indexer.types import SourceFile

    body = sys.stdin.buffer.read()
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no text of the document
    try:
        text, code = parse(SourceFile("", f"page{suffix}", "note", len(body), 0), body).text, 0
    except ParseError as error:
        text, code = f"{error.what}: {error.fix}" if error.fix else error.what, _UNREADABLE
    with answers:
        answers.write(text.encode("utf-8", "replace"))
    sys.exit(code)
