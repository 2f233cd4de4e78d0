"""The JSON shape of an answer (docs/json.md) -> what people read; needs no index, so that a client can do it too."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from indexer.labels import day, label
from onebrain_search.printable import one_line, printable

Shape = Mapping[str, Any]
Link = Callable[[str, str, int], str]

CHAIN_LINKS = 12  # shown of a chain unless all are asked for
SKIPS = 20  # listed of an index run
TIES = {  # what ties a related note to this one, as people say it
    "vector": "near in meaning",
    "vector lead": "nearer than others",
    "words": "same words",
    "names": "named here",
    "words of the name": "its name's words stand here",
    "mention": "names this note",
    "link": "linked here",
    "backlink": "links here",
    "links of similar passages": "linked by similar passages",
    "links in common": "linked by similar notes",
    "shared links": "linked with the same notes",
    "folder of links": "beside linked notes",
    "name path": "above or below",
    "tags": "same tags",
}


def answer_text(answer: Shape, *, all_links: bool = False, link: Link | None = None) -> str:
    """Return an answer; `link(shown, path, line)` makes a place one that the terminal can follow."""
    if answer["mode"] == "why" and answer["chain"]:
        blocks = [_chain_text(answer, all_links)]
    elif answer["confidence"] == "none":
        blocks = [f'🔴 No strong match for "{answer["question"]}"']
    else:
        said = answer["answer"].replace("\n", "\n  ")
        caution = " (weak match: check its source)" if answer["confidence"] == "weak" else ""
        blocks = [f"📌 Direct answer{caution}\n  {said}"] if said else []
    shown = [printable(block) for block in blocks]
    if answer["sources"]:
        shown.append(_sources_text(answer, link))
    if answer["web"]:
        from onebrain_search.web.show import block_text  # a module that loads nothing else of the web

        shown.append(block_text(answer["web"]))
    return "\n\n".join([*shown, *(one_line(f"note: {note}") for note in answer["notes"])])


def explain_text(answer: Shape) -> str:
    """Return how a question was read and why each source ranks, of an answer with `explain`."""
    lines = ["🔎 How this was read:"]
    lines += [f"  {name}: {value}" for name, value in answer["explain"].items() if value not in ("", [], None)]
    for source in answer["sources"]:
        parts = "  ".join(f"{name} {value:.3f}" for name, value in source["parts"].items())
        lines.append(f"  {source['rank']}. {source['score']:.3f} of {parts}")
    return printable("\n".join(lines))


def related_text(found: Shape) -> str:
    """Return related notes, each with what ties them."""
    if not found["related"]:
        return "no related notes"
    lines = []
    for source in found["related"]:
        ties = ", ".join(TIES.get(name, name) for name in source["parts"])
        place = f"{source['path']}:{source['start_line']}"
        lines.append(one_line(f"  {source['rank']}. {place} › {source['title']} — {ties}"))
    return "\n".join(lines)


def status_text(found: Shape) -> str:
    """Return what the index holds."""
    daemon = found["daemon"]
    served = f"process {daemon['pid']}, port {daemon['port']}" if daemon else "none; `serve` starts one"
    if not found["exists"]:
        return printable(f"{found['vault']}: no index yet; `index` or any question makes it\ndaemon     {served}")
    lines = [f"vault      {found['vault']}", f"index      {found['state']} ({found['bytes'] / 1e6:.1f} MB)"]
    lines.append(f"documents  {found['documents']} ({found['excluded']} excluded by rules)")
    vectors = (
        f"{found['vectors']} with vectors, {found['pending']} waiting, {found['unreadable']} the model cannot read"
    )
    lines.append(f"passages   {found['chunks']}: {vectors}")
    if change := found["change"]:
        read = f"has read {change['done']} of {change['of']} passages and takes over then; `index` goes on"
        lines.append(f"model      {found['model_name']} answers; {change['to']} {read}")
    elif found["model_name"]:
        lines.append(f"model      {found['model_name']}")
    if found["slow"]:
        lines.append(f"slow       the model's faster engine cannot be loaded: {found['slow']}")
    lines.append(f"changed    {datetime.fromtimestamp(found['indexed_at']):%Y-%m-%d %H:%M}")
    stale = found["stale"]
    if stale is None:
        lines.append("stale      the vault cannot be reached: its entries are kept")
    elif any(stale.values()):
        lines.append(f"stale      {', '.join(f'{n} {name}' for name, n in stale.items() if n)} since: run `index`")
    else:
        lines.append("stale      no: every file is in the index as it stands now")
    lines.append(f"daemon     {served}")
    watcher = found["watcher"]
    if watcher["pid"]:
        why = "; ".join(filter(None, [watcher["why"], watcher["vectors"]]))
        again = f", restarted {watcher['restarts']} times" if watcher["restarts"] else ""
        lines.append(f"watcher    {watcher['mode']}{again} (process {watcher['pid']}){': ' if why else ''}{why}")
    for name in ("skipped", "failed"):
        lines += [one_line(f"{name:<10} {skip['path'] or 'the vault'}: {skip['reason']}") for skip in found[name]]
    return printable("\n".join(lines))


def findings_text(found: Shape) -> str:
    """Return what `doctor` found."""
    rows = found["findings"]
    lines = list[str]()
    for f in rows:
        where = f" ({f['where']})" if f["where"] else ""
        lines.append(one_line(f"{'hint ' if f['hint'] else 'FAULT'} {f['check']}: {f['what']}{where}"))
        lines.append(one_line(f"      {f['fix']}"))
    return "\n".join(lines) if lines else "nothing is wrong"


def report_text(report: Shape) -> str:
    """Return one line on an index run, and one for each thing that could not be read."""
    names = ("added", "changed", "moved", "removed", "unchanged", "excluded")
    counts = [f"{report[name]} {name}" for name in names if report[name]]
    skipped: Sequence[Shape] = report["skipped"]
    counts += [f"{len(skipped)} skipped"] if skipped else []
    vectors = [f"{report['embedded']} passages embedded"] if report["embedded"] else []
    vectors += [f"{report['pending']} waiting for vectors"] if report["pending"] else []
    lines = [", ".join(counts) or "nothing to index", *([", ".join(vectors)] if vectors else [])]
    rest = [f"  skipped {skip['path']}: {skip['reason']}" for skip in skipped[:SKIPS]]
    rest += [f"  … and {len(skipped) - SKIPS} more (see `status`)"] if len(skipped) > SKIPS else []
    rest += [f"  could not read {skip['path'] or 'the vault'}: {skip['reason']}" for skip in report["failed"]]
    rest += [f"  note: {note}" for note in report["notes"]]
    return "\n".join([f"{'; '.join(lines)} ({report['seconds']:.1f} s)", *map(one_line, rest)])


def _sources_text(answer: Shape, link: Link | None) -> str:
    """Return the list of sources."""
    sources = answer["sources"]
    weak = answer["confidence"] == "none"
    title = "Nearest candidates (weak)" if weak else f"Sources (top {len(sources)} by relevance)"
    lines = [f"📚 {title}:"]
    for source in sources:
        place = one_line(f"{source['path']}:{source['line']}")
        place = link(place, source["path"], source["line"]) if link else place
        heading = " › ".join(source["heading"]) or source["symbol"] or source["title"]
        stale = " (changed since)" if source["stale"] else ""
        excerpt = f" — {source['excerpt']}" if source["excerpt"] else ""
        rest = one_line(f" › {heading}{excerpt}{stale}")
        lines.append(f"  {source['rank']}. {place}{rest}")
    return "\n".join(lines)


def _chain_text(answer: Shape, all_links: bool) -> str:
    """Return what settled it, the decision chain, oldest first, and what is in force now."""
    chain = answer["chain"]
    shown = chain if all_links else chain[:CHAIN_LINKS]
    *settled, in_force = answer["answer"].split("\n")
    lines = [f"📌 What settled it\n  {line}\n" for line in settled]
    lines += ["🕐 Decision chain (chronological):", *map(_event_text, shown)]
    if len(shown) < len(chain):
        lines.append(f"  … {len(chain) - len(shown)} more, --all")
    return "\n".join([*lines, f"➡ {in_force}"])


def _event_text(link: Shape) -> str:
    """Return one link of a chain."""
    reason = f' · "{link["reason"]}"' if link["reason"] else ""
    status = f" ({link['status']})" if link["status"] else ""
    said = f"{day(link['date'], link['date_source'] or '')} · {label(link['thread'] or '', link['what'])}"
    return one_line(f"  {said}{status}{reason} · {link['path']}:{link['line']}")
