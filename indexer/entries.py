"""What an entry of a folder is, told without opening it."""

from __future__ import annotations

import os
import stat
import sys
from typing import Final

ICLOUD_END: Final = ".icloud"  # iCloud of older macOS leaves `.name.md.icloud` for `name.md`

_RECALL: Final = 0x1000 | 0x40000 | 0x400000  # FILE_ATTRIBUTE_OFFLINE, RECALL_ON_OPEN, RECALL_ON_DATA_ACCESS
_DATALESS: Final = 0x40000000  # SF_DATALESS of macOS <sys/stat.h>
_COMPRESSED: Final = 0x20  # UF_COMPRESSED: macOS keeps the data of such a file outside of blocks
_NO_BLOCKS_FROM: Final = 512


def elsewhere(info: os.stat_result) -> bool:
    """Whether a file's data is not on this disk, so that opening it would block or download it.

    Windows and macOS say so in a flag. Without a flag, a file with a size but without blocks holds no
    data. Below 512 bytes that proves nothing, because NTFS under Linux keeps such files in its table;
    ext4, btrfs, f2fs and ZFS report blocks for the data that they keep inside an inode.
    """
    if getattr(info, "st_file_attributes", 0) & _RECALL:
        return True
    flags = getattr(info, "st_flags", 0)
    if flags & _DATALESS:
        return True
    no_blocks = info.st_size >= _NO_BLOCKS_FROM and getattr(info, "st_blocks", 1) == 0
    return no_blocks and not flags & _COMPRESSED


def is_link(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a symlink, or on Windows a junction."""
    if sys.platform == "win32":
        tag = entry.stat(follow_symlinks=False).st_reparse_tag
        return entry.is_symlink() or tag == stat.IO_REPARSE_TAG_MOUNT_POINT
    return entry.is_symlink()


def is_text(name: str) -> bool:
    """Whether a name can be written as UTF-8."""
    try:
        return name.isascii() or bool(name.encode())
    except UnicodeEncodeError:
        return False


def below(top: str, path: str) -> str | None:
    """`path` relative to `top` with `/`, `""` for `top` itself, None outside; both must be real paths."""
    if path == top:
        return ""
    start = top.rstrip(os.sep) + os.sep
    return path[len(start) :].replace(os.sep, "/") if path.startswith(start) else None
