"""Shipping labels in ZPL, the page language of thermal printers."""

from __future__ import annotations

DOTS_PER_MM = 8


def escape_field(text: str) -> str:
    """Replace the two characters that ZPL reads as commands."""
    return text.replace("^", " ").replace("~", " ")


def render_zpl_label(tracking: str, lines: list[str], width_mm: int = 100) -> str:
    """A whole label: address lines from the top, the tracking number as a Code 128 bar code below."""
    parts = ["^XA", f"^PW{width_mm * DOTS_PER_MM}", "^CI28"]
    for number, line in enumerate(lines):
        parts.append(f"^FO40,{40 + number * 44}^A0N,36,36^FD{escape_field(line)}^FS")
    parts.append(f"^FO40,{80 + len(lines) * 44}^BY3^BCN,120,Y,N,N^FD{escape_field(tracking)}^FS")
    parts.append("^XZ")
    return "\n".join(parts)
