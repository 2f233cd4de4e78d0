"""Settings: where they are found, what is read from them, and what is said of a wrong one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path

import pytest

from indexer.errors import ConfigError
from onebrain_search.config import AUTO, CodeFolder, Config, apart, load, starter_text
from onebrain_search.places import discover, may_set_state, state_folder, state_home

TOP = Path(__file__).parents[2]

ONEBRAIN = """\
# ---- General ----
update_channel: stable
folders:
  inbox: 00-inbox
  import_inbox: 00-inbox/imports
  projects: my-projects
  logs: 07-logs
  something_new: x
checkpoint: {messages: 15, minutes: 30}
search:
  collection: vault-1a2b3c
  embed_model: multilingual-e5-small
  default_top_k: 12
  exclude: ["attachments", "06-archive"]
  embed: {auto: true, threshold: 10, debounce_seconds: 45, max_batch: 200}
  reranker: {enabled: true, min_score: 0.0}
token_optimization: {level: conservative, read_hook: off}
schedule:
  - {cron: "0 9 * * 1", skill: recap, args: {since: 7d}}
stats:
  last_recap: 2026-03-01
  last_recap: 2026-03-08
notifications: {telegram_chat_id: !secret chat}
"""


def settings(folder: Path, text: str, name: str = "onebrain.yml") -> Path:
    """Write a settings file and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder


def read(folder: Path, text: str) -> Config:
    """The settings of a vault with such lines in our section."""
    return load(settings(folder, "onebrain_search:\n" + text), environ={})


# --- the example and the defaults -------------------------------------------------------------------


def test_the_example_file_is_the_starter_text() -> None:
    """`init` writes what the repository shows."""
    assert (TOP / "onebrain.yml.example").read_text(encoding="utf-8") == starter_text()


def test_the_example_says_the_defaults(tmp_path: Path) -> None:
    """With every `#` taken away, each setting is there, is valid, and changes nothing."""
    live = re.sub(r"^( *)#(?=\w)", r"\1", starter_text(), flags=re.M)
    names = set(re.findall(r"^  (\w+):", live, flags=re.M))
    assert names == {field.name for field in fields(Config)} - {"vault", "file", "folders"}
    config = load(settings(tmp_path, live), environ={})
    assert replace(config, vault=Path(), file=None) == Config()


def test_the_starter_as_written_changes_nothing(tmp_path: Path) -> None:
    """A file of comments is as good as none."""
    config = load(settings(tmp_path, starter_text()), environ={})
    assert replace(config, vault=Path(), file=None) == Config()


def test_the_default_model_is_the_one_that_comes_along() -> None:
    """It is written twice because importing it would slow the command line."""
    assert Config().embedding.model == AUTO


# --- which folder is the vault ----------------------------------------------------------------------


def test_a_plain_folder_is_a_vault_with_defaults(tmp_path: Path) -> None:
    """No configuration is needed."""
    assert load(environ={}, start=tmp_path) == Config(vault=tmp_path)


def test_the_vault_is_found_upwards(tmp_path: Path) -> None:
    """From any folder inside, the nearest settings file counts."""
    settings(tmp_path, "")
    inner = settings(tmp_path / "a/inner", "")
    (inner / "b/c").mkdir(parents=True)
    assert discover(tmp_path / "a") == tmp_path
    assert discover(inner / "b/c") == inner
    assert load(environ={}, start=inner / "b").file == inner / "onebrain.yml"


@pytest.mark.parametrize("marker", [".obsidian/app.json", "logseq/config.edn"])
def test_a_vault_of_another_kind_inside_is_one_of_its_own(tmp_path: Path, marker: str) -> None:
    """Opened by itself it knows only its own notes, and from its folders it is found."""
    settings(tmp_path, "onebrain_search: {limit: 3}")
    inner = tmp_path / "inner"
    (inner / marker).parent.mkdir(parents=True)
    (inner / marker).touch()
    (inner / "sub").mkdir()
    assert load(environ={}, start=inner / "sub") == Config(vault=inner)


def test_a_given_vault_wins_over_the_named_one_and_that_over_the_folder(tmp_path: Path) -> None:
    """`--vault`, then ONEBRAIN_VAULT, then where we are; a given one is taken as it is."""
    here = settings(tmp_path / "here", "")
    named = tmp_path / "named"
    assert load(here / "sub", environ={"ONEBRAIN_VAULT": str(named)}).vault == here / "sub"
    assert load(environ={"ONEBRAIN_VAULT": str(named)}, start=here).vault == named
    assert load(environ={"ONEBRAIN_VAULT": ""}, start=here).vault == here


def test_the_vault_is_absolute_and_home_is_expanded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As people type it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    assert load(Path("x/../notes"), environ={}).vault == tmp_path / "notes"
    assert load(Path("~/notes"), environ={}).vault == tmp_path / "notes"


def test_a_legacy_file_counts_and_another_tools_does_not(tmp_path: Path) -> None:
    """`vault.yml` was OneBrain's name once, and is also what Ansible users have."""
    legacy = settings(tmp_path / "old", "qmd_collection: notes-1a2b3c\nonebrain_search: {limit: 4}\n", "vault.yml")
    foreign = settings(tmp_path / "ansible", "vault_password: [x\n", "vault.yml")
    (foreign / "notes").mkdir()
    assert load(environ={}, start=legacy).limit == 4
    assert load(environ={}, start=foreign / "notes") == Config(vault=foreign / "notes")


def test_the_new_name_wins_over_the_legacy_one(tmp_path: Path) -> None:
    """In one folder."""
    settings(tmp_path, "folders: {}\nonebrain_search: {limit: 4}\n", "vault.yml")
    assert load(settings(tmp_path, "onebrain_search: {limit: 6}"), environ={}).limit == 6


# --- what is read -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["onebrain.yml", "vault.yml"])
def test_a_whole_onebrain_file_is_accepted(tmp_path: Path, name: str) -> None:
    """`folders`, `search.exclude` and `search.default_top_k` count, the rest is not ours."""
    config = load(settings(tmp_path, ONEBRAIN, name), environ={})
    assert config.folders.projects == "my-projects"
    assert config.folders.areas == "02-areas"
    assert config.exclude == ("attachments", "06-archive")
    assert config.limit == 12
    assert replace(config, vault=Path(), file=None, folders=Config().folders, exclude=(), limit=5) == Config()


def test_our_section_wins_and_excludes_add_up(tmp_path: Path) -> None:
    """Our limit is the closer one; what either section excludes stays out."""
    text = "search: {exclude: attachments, default_top_k: 12}\nonebrain_search: {exclude: [private/], limit: 3}\n"
    config = load(settings(tmp_path, text), environ={})
    assert (config.limit, config.exclude) == (3, ("attachments", "private/"))


@pytest.mark.parametrize(
    "text", ["", "# nothing\n", "- a list\n", "folders:\nsearch:\nonebrain_search:\n", "just text"]
)
def test_a_file_that_says_nothing_to_us_means_defaults(tmp_path: Path, text: str) -> None:
    """OneBrain's own sections may be empty."""
    config = load(settings(tmp_path, text), environ={})
    assert replace(config, vault=Path(), file=None) == Config()


def test_every_setting_is_read(tmp_path: Path) -> None:
    """Each with its type; groups keep the defaults of what they do not name."""
    config = read(
        tmp_path / "vault",
        """\
  code:
    - {name: app, path: ../app}
    - ../my lib
    - {name: abs, path: /src/abs}
  exclude: [private, "*.tmp"]
  gitignore: no
  hidden: true
  download: yes
  max_file_mb: 2.5
  date_keys: due
  comments: true
  limit: 8
  embedding: {url: "http://localhost:11434/v1", api_key_env: KEY}
  reranker: {enabled: true}
  state: ../state
""",
    )
    lib = CodeFolder("my-lib", tmp_path / "my lib")
    assert config.code == (CodeFolder("app", tmp_path / "app"), lib, CodeFolder("abs", Path("/src/abs")))
    assert (config.exclude, config.gitignore, config.hidden) == (("private", "*.tmp"), False, True)
    assert (config.download, config.max_file_mb, config.date_keys, config.comments) == (True, 2.5, ("due",), True)
    assert (config.embedding.model, config.embedding.api_key_env) == (AUTO, "KEY")
    assert (config.limit, config.reranker.enabled, config.state) == (8, True, tmp_path / "state")


def test_settings_with_a_byte_order_mark_are_read(tmp_path: Path) -> None:
    """As Windows editors write them."""
    (tmp_path / "onebrain.yml").write_bytes(b"\xef\xbb\xbfonebrain_search:\r\n  limit: 7\r\n")
    assert load(tmp_path, environ={}).limit == 7


# --- what is wrong ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        ("  exclde: [x]\n", 2, "unknown setting `exclde` .*: did you mean `exclude`?"),
        ("  limit: 3\n  zzz: 1\n", 3, "unknown setting `zzz` .*: known here: code, exclude, .*"),
        ("  embedding:\n    modle: x\n", 3, "unknown setting `modle` .*: did you mean `model`?"),
        ("  limit: many\n", 2, "`limit` takes a whole number from 1 .*: change this line"),
        ("  limit: 0\n", 2, "`limit` takes a whole number from 1"),
        ("  limit: 3\n  limit: 4\n", 3, "`limit` is given twice .*: keep one of them"),
        ("  hidden: 1\n", 2, "`hidden` takes true or false"),
        ("  hidden: 'true'\n", 2, "`hidden` takes true or false"),
        ("  max_file_mb: -1\n", 2, "`max_file_mb` takes a number above 0"),
        ("  max_file_mb: .nan\n", 2, "`max_file_mb` takes a number above 0"),
        ("  exclude: {a: b}\n", 2, "`exclude` takes a list of texts"),
        ("  exclude:\n    - a\n    - [b]\n", 4, "`exclude` takes a text"),
        ("  embedding: x\n", 2, "`embedding` takes settings below it, each as `name: value`"),
        ("  embedding: {url: localhost}\n", 2, "`url` takes an address that starts with http"),
        ("  code: ../app\n", 2, "`code` takes a list of folders"),
        ("  code:\n    - {name: app}\n", 3, "`code` takes a name .* and a path for each folder"),
        ("  code:\n    - {name: 'a:b', path: x}\n", 3, "`code` takes a name"),
        ("  code:\n    - a/x\n    - b/x\n", 4, "two code folders are named `x`"),
        ("  code:\n    - {nmae: a, path: x}\n", 3, "unknown setting `nmae` .*: did you mean `name`?"),
        ("  state: ''\n", 2, "`state` takes a folder"),
        ("  exclude: [a\n  limit: 3\n", 3, "the settings are not valid YAML: .*: correct this line"),
        ("\tlimit: 3\n", 2, "the settings are not valid YAML"),
    ],
)
def test_a_wrong_setting_is_named_with_its_line(tmp_path: Path, text: str, line: int, says: str) -> None:
    """One line: what, where, what to do."""
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, text)
    assert re.search(says.removesuffix("?"), str(caught.value))
    assert caught.value.where == f"{tmp_path / 'onebrain.yml'}:{line}"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("onebrain_search: 3\n", "`onebrain_search` takes settings below it"),
        ("search: {exclude: {a: b}}\n", "`exclude` takes a list of texts"),
        ("search: {default_top_k: x}\n", "`default_top_k` takes a whole number"),
        ("folders: {logs: [a]}\n", "`logs` takes a text"),
        ("a: 1\n---\nb: 2\n", "not valid YAML"),
        ("a: \x00\n", "not valid YAML"),
    ],
)
def test_what_counts_of_onebrains_own_is_checked_too(tmp_path: Path, text: str, says: str) -> None:
    """A filter that cannot be read is an error and never no filter."""
    with pytest.raises(ConfigError, match=says):
        load(settings(tmp_path, text), environ={})


def test_settings_that_are_no_utf8_are_an_error(tmp_path: Path) -> None:
    """Said with the file, not with a traceback."""
    (tmp_path / "onebrain.yml").write_bytes(b"onebrain_search:\n  exclude: caf\xe9\n")
    with pytest.raises(ConfigError, match=r"not UTF-8.*onebrain\.yml.*save them as UTF-8"):
        load(tmp_path, environ={})


# --- where the index lives --------------------------------------------------------------------------


def test_the_state_folder_is_stable_and_told_apart(tmp_path: Path) -> None:
    """The same vault by a link or a relative path has one index; two vaults of one name have two."""
    for name in ("a/notes", "b/notes"):
        (tmp_path / name).mkdir(parents=True)
    environ = {"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")}
    first = state_folder(tmp_path / "a/notes", environ)
    assert re.fullmatch(r"notes-[0-9a-f]{8}", first.name)
    assert first.parent == state_home(environ) == tmp_path / "state"
    assert state_folder(tmp_path / "b/../a/notes", environ) == first
    assert state_folder(tmp_path / "b/notes", environ) != first
    if os.name != "nt":
        (tmp_path / "link").symlink_to("a/notes")
        assert state_folder(tmp_path / "link", environ) == first


@pytest.mark.parametrize("name", ["x" * 250, ".notes", "日本 語", "a\nb", "..."])
def test_any_vault_name_makes_a_state_folder(tmp_path: Path, name: str) -> None:
    """Short, visible and without white space."""
    folder = state_folder(tmp_path / name, {"ONEBRAIN_SEARCH_HOME": str(tmp_path / "state")})
    assert re.fullmatch(r"\w[\w.-]{0,40}-[0-9a-f]{8}", folder.name)


def test_the_setting_state_gives_way_to_the_environment(tmp_path: Path) -> None:
    """The nearer word counts."""
    chosen = state_folder(tmp_path / "v", {}, state=tmp_path / "s")
    assert chosen.parent == tmp_path / "s"
    environ = {"ONEBRAIN_SEARCH_HOME": str(tmp_path / "e")}
    assert state_folder(tmp_path / "v", environ, state=tmp_path / "s").parent == tmp_path / "e"


def test_the_default_home_is_the_platforms(tmp_path: Path) -> None:
    """Not a cache folder, which the system may empty."""
    from platformdirs import user_data_path

    assert state_home({}) == user_data_path("onebrain-search", appauthor=False)


@pytest.mark.parametrize("inside", ["", "x/y"])
def test_an_index_inside_the_vault_is_refused(tmp_path: Path, inside: str) -> None:
    """Promise 1: the user's files are only read, and a watcher must not see its own writing."""
    with pytest.raises(ConfigError, match=r"the index would lie inside the vault .*ONEBRAIN_SEARCH_HOME"):
        state_folder(tmp_path, {"ONEBRAIN_SEARCH_HOME": str(tmp_path / inside)})
    with pytest.raises(ConfigError, match="inside the vault"):
        state_folder(tmp_path, {}, state=tmp_path / inside)


def test_code_folders_and_the_index_inside_the_vault_stand_apart(tmp_path: Path) -> None:
    """So that a file is not indexed twice, nor the index itself."""
    vault = tmp_path / "v"
    code = (CodeFolder("in", vault / "code/app"), CodeFolder("out", tmp_path / "lib"), CodeFolder("all", vault))
    config = Config(vault=vault, code=code)
    assert apart(config, vault / ".local/share/x") == frozenset({"code/app", ".local/share/x"})


@pytest.mark.parametrize(("files", "unwanted"), [((), "yaml"), (("onebrain.yml",), "platformdirs")])
def test_libraries_are_imported_only_when_needed(tmp_path: Path, files: tuple[str, ...], unwanted: str) -> None:
    """A cold start without settings reads no YAML library, with a named home no platformdirs."""
    for name in files:
        settings(tmp_path, "", name)
    code = (
        "import sys; from pathlib import Path; from onebrain_search.config import *\n"
        "from onebrain_search.places import state_folder\n"
        f"vault = load(Path({str(tmp_path)!r}), environ={{}}).vault\n"
        "state_folder(vault, {'ONEBRAIN_SEARCH_HOME': str(vault) + '-state'})\n"
        f"sys.exit({unwanted!r} in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=TOP)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("onebrain_search:\n  state: ../x\n", True),
        ('{"onebrain_search": {"state": "../x"}}', True),
        ("onebrain_search: {state: ../x}", True),
        ("onebrain_search:\n  #state: null\n  limit: 3\n", False),
        ("statement: x\nestate: y\n", False),
        ("", False),
    ],
)
def test_settings_are_read_for_the_state_folder_only_if_they_may_name_one(
    tmp_path: Path, text: str, expected: bool
) -> None:
    """A client that asks a daemon does without them."""
    settings(tmp_path, text)
    assert may_set_state(tmp_path) is expected
