"""Changes of files of another program: shown as a diff, backed up, written in one step, and taken back."""

from __future__ import annotations

import difflib
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from indexer.errors import ConfigError
from onebrain_search.agents.clients import Client

BACKUP = ".before-onebrain-search"  # added to the name of a file that is changed for the first time


@dataclass(frozen=True, slots=True)
class Change:
    """What becomes of one file; None stands for a file that is not there."""

    file: Path
    before: str | None
    after: str | None

    @property
    def diff(self) -> str:
        """The change as a unified diff, empty when there is none."""
        old, new = ((text or "").splitlines(keepends=True) for text in (self.before, self.after))
        names = ["/dev/null" if text is None else str(self.file) for text in (self.before, self.after)]
        lines = difflib.unified_diff(old, new, names[0], names[1])
        return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)

    def apply(self) -> None:
        """Write, or delete; the file as the user had it is kept beside. Raises ConfigError."""
        try:
            self._apply()
        except OSError as error:
            what = f"cannot be changed: {error.strerror}"
            raise ConfigError(what, where=str(self.file), fix="check its rights") from error

    def _apply(self) -> None:
        """Write in one step, through links, and with the rights that the file had."""
        if self.after is None:
            self.file.unlink(missing_ok=True)
            _remove_empty(self.file.parent)
            return
        target = Path(os.path.realpath(self.file))
        target.parent.mkdir(parents=True, exist_ok=True)
        backup = backup_of(target)
        if self.before is not None and not backup.exists():
            shutil.copy2(target, backup)
        fresh = target.with_name(f"{target.name}.new")
        fresh.write_bytes(self.after.encode())
        if self.before is not None:
            shutil.copymode(target, fresh)
        fresh.replace(target)


def installing(client: Client, home: Path, environ: Mapping[str, str], command: Sequence[str]) -> list[Change]:
    """Return what has to change so that a client has the skill and our server; nothing when it has both."""
    settings, skill = client.settings_file(home, environ), client.skill_file(home)
    entry = client.entry(command)
    wanted = [(settings, _edited(client, settings, entry)), (skill, skill_text())]
    return [Change(file, _read(file), after) for file, after in wanted if _read(file) != after]


def removing(client: Client, home: Path, environ: Mapping[str, str]) -> list[Change]:
    """Return what has to change so that a client has neither; a skill that is not ours, or was changed, stays.

    Where the skill took the place of another one, that one comes back.
    """
    settings, skill = client.settings_file(home, environ), client.skill_file(home)
    changes = []
    if _read(settings) is not None and _edited(client, settings, None) != _read(settings):
        changes.append(Change(settings, _read(settings), _edited(client, settings, None)))
    if _read(skill) == skill_text():
        changes.append(Change(skill, skill_text(), _read(backup_of(skill))))
    return changes


def skill_text() -> str:
    """Return the `/search` skill: part of the package, in a checkout the file beside it. Raises ConfigError."""
    package = Path(__file__).parents[1]
    for file in (package / "skills/search/SKILL.md", package.parent / "skills/search/SKILL.md"):
        found = _read(file)
        if found is not None:
            return found
    raise ConfigError("the skill is not part of this installation", where=str(package), fix="install it again")


def backup_of(file: Path) -> Path:
    """Return where a file is kept as it was before us."""
    return file.with_name(f"{file.name}{BACKUP}")


def _edited(client: Client, file: Path, entry: Mapping[str, object] | None) -> str:
    """Return settings with or without our entry. Raises ConfigError with the file."""
    try:
        return client.edit(_read(file) or "", client.key, entry)
    except ConfigError as error:
        raise ConfigError(error.what, where=f"{file}, {error.where}", fix=error.fix) from error


def _read(file: Path) -> str | None:
    """Return a file's text, None when it is not there. Raises ConfigError for one that cannot be read."""
    try:
        return file.read_bytes().decode("utf-8")
    except FileNotFoundError:
        return None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("cannot be read as UTF-8", where=str(file), fix="check the file and its rights") from error


def _remove_empty(folder: Path) -> None:
    """Delete a folder that nothing is left in."""
    if not any(folder.iterdir()):
        folder.rmdir()
