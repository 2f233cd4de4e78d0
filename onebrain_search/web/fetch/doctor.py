"""Which programs and packages of a fetch are there."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Final

BROWSERS: Final = (
    "google-chrome",
    "google-chrome-stable",
    "chromium",
    "chromium-browser",
    "microsoft-edge",
    "brave-browser",
)
PLACES: Final = (  # where browsers are on systems that do not put them on the path
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
    "C:/Program Files/Google/Chrome/Application/chrome.exe",
    "C:/Program Files (x86)/Microsoft/Edge/Application/msedge.exe",
)
CHROME_VARIABLE: Final = "OMA_CHROME_PATH"


@dataclass(frozen=True, slots=True)
class Tool:
    """A program or package: where or which it is, or how to get it."""

    name: str
    found: str
    fix: str

    @property
    def line(self) -> str:
        """The tool on one line."""
        return f"✓ {self.name} {self.found}" if self.found else f"! {self.name} {self.fix}"


def tools(environ: Mapping[str, str]) -> Iterator[Tool]:
    """What the strategies can use; each is optional."""
    yield Tool(
        "chrome", chrome(environ), f"not found: install Chrome or Chromium, or set {CHROME_VARIABLE} (browser)"
    )
    yield Tool("python3", f"{sys.version.split()[0]} {sys.executable}", "")
    yield Tool("curl_cffi", _package("curl_cffi"), "not installed: pip install curl_cffi (impersonate)")
    yield Tool("yt-dlp", shutil.which("yt-dlp") or "", "not found: pip install yt-dlp (media, by hand)")
    yield Tool("gh", shutil.which("gh") or "", "not found: https://cli.github.com/ (code search)")
    yield Tool(
        "trafilatura", _package("trafilatura"), "not installed: pip install 'onebrain-search[web]' (main text)"
    )


def chrome(environ: Mapping[str, str]) -> str:
    """The path of a browser: the one that the variable names, else the first known one; nothing if there is none."""
    if named := environ.get(CHROME_VARIABLE):
        return shutil.which(named) or ""
    on_path = (shutil.which(name, path=environ.get("PATH")) for name in BROWSERS)
    elsewhere = (place for place in PLACES if Path(place).is_file())
    return next((found for found in (*on_path, *elsewhere) if found), "")


def _package(name: str) -> str:
    """The version of an installed package, nothing where it is not there."""
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
