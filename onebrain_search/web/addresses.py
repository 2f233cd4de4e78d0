"""Which addresses may be asked: public ones, in whatever form they are written or a name server gives them."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Final
from urllib.parse import SplitResult

from indexer.errors import Refused, WebError
from onebrain_search.web.http import checked, proxy_of, shown

Ip = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Sequence[str]]

# Set aside by IANA's registries, or by a cloud for a machine's own host, and not told by Python 3.11's ipaddress.
SET_ASIDE: Final = tuple(
    ip_network(text) for text in ("168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24", "3fff::/20", "5f00::/16")
)
NAT64: Final = ip_network("64:ff9b::/96")  # RFC 6052: the last 32 bits are the IPv4 address that is reached
LOCAL_NAMES: Final = (".localhost", ".local", ".internal", ".home.arpa")  # RFC 6761, 6762, 8375, ICANN 2024
_DOTS: Final = str.maketrans("。．｡", "...")  # full stops that a browser takes for a dot in a host


class PublicOnly:
    """The guard of `Http`: only public addresses are asked, and a connection keeps to the answer that was checked.

    `resolve` asks the name server. `allowed` are addresses that may be asked although they are not public: tests give
    their loopback server here, and no setting or variable reaches it.
    """

    def __init__(self, *, resolve: Resolve | None = None, allowed: frozenset[str] = frozenset()) -> None:
        self._resolve = resolve or look_up
        self._allowed = allowed

    def check(self, url: str) -> None:
        """Look at an address before anything is sent. Raises Refused.

        Behind a proxy it is the proxy that asks the name server; here the name is looked up as well, and where this
        machine cannot find it the proxy is trusted.
        """
        parts = checked(url)
        host = plain(parts.hostname or "")
        if found := readings(host):
            self._only_public(found, shown(url))
        elif host.endswith(LOCAL_NAMES) or "." not in host.strip("."):
            raise _refused("is a name of the local network", shown(url))
        elif proxy_of(parts):
            self._look_twice(host, parts)

    def addresses(self, host: str, port: int) -> Sequence[str]:
        """The IP addresses of a host, all public. Raises Refused, or WebError for a name that is not found."""
        host = plain(host)
        literal = readings(host)
        found = literal or tuple(ip_address(text) for text in self._resolve(host, port))
        self._only_public(found, host)
        return [str(ip) for ip in (literal[:1] or found)]

    def _look_twice(self, host: str, parts: SplitResult) -> None:
        """Refuse a name behind a proxy that this machine knows to be private."""
        try:
            self.addresses(host, parts.port or 0)
        except Refused:
            raise
        except WebError:
            return

    def _only_public(self, found: Sequence[Ip], where: str) -> None:
        """Refuse an answer of which any part is not public: a mixed one is how a name is rebound."""
        for ip in found:
            if not public(ip) and str(ip) not in self._allowed:
                raise _refused(f"leads to {ip}, which is no public address", where)


def public(ip: Ip) -> bool:
    """Whether an address is one of the public internet, and so is every address that it carries inside."""
    if isinstance(ip, IPv4Address):
        return _global(ip)
    if ip.ipv4_mapped is not None:
        return _global(ip.ipv4_mapped)
    if ip in NAT64:
        return _global(IPv4Address(int(ip) & 0xFFFFFFFF))
    inside = [*([ip.sixtofour] if ip.sixtofour else []), *(ip.teredo or ())]
    return _global(ip) and not ip.is_site_local and all(_global(carried) for carried in inside)


def _global(ip: Ip) -> bool:
    """Whether an address is handed out for the public internet, to one machine."""
    aside = ip.is_multicast or ip.is_reserved or ip.is_unspecified or ip.is_loopback or ip.is_link_local
    return (
        ip.is_global
        and not aside
        and not any(ip in network for network in SET_ASIDE if network.version == ip.version)
    )


def plain(host: str) -> str:
    """A host as a resolver understands it: compatible characters made one, lower case, no dot at the end."""
    return unicodedata.normalize("NFKC", host.translate(_DOTS)).lower().strip("[]").rstrip(".")


def readings(host: str) -> tuple[Ip, ...]:
    """The addresses that a host can be read as, none for a name. Raises Refused for a number that is no address.

    A number may stand for four (`2130706433`, `0x7f.1`), and one with a zero in front is octal to some programs and
    decimal to others: both are given, octal first, so that both must be public.
    """
    try:
        return (ip_address(host),)
    except ValueError:
        labels = host.split(".")
    if ":" not in host and not _number(labels[-1]):
        return ()
    found, decimal = _from_numbers(labels, 8), _from_numbers(labels, 10)
    if found is None:
        raise _refused("is no address", host)
    return (found,) if decimal is None or decimal == found else (found, decimal)


def _number(label: str) -> bool:
    """Whether a last label makes its whole host a number, by the rule of the URL standard."""
    return label.isascii() and (label.isdigit() or label.startswith("0x"))


def _from_numbers(labels: Sequence[str], leading_zero: int) -> IPv4Address | None:
    """The address of up to four numbers, the last of which fills what is left (as C's inet_aton); None if it is none.

    `leading_zero` is the base of a number with a zero in front, 8 or 10.
    """
    try:
        *upper, last = (_integer(label, leading_zero) for label in labels)
    except ValueError:
        return None
    if len(labels) > 4 or any(value > 255 for value in upper) or last >= 256 ** (4 - len(upper)):
        return None
    return IPv4Address(sum(value << (24 - 8 * place) for place, value in enumerate(upper)) + last)


def _integer(label: str, leading_zero: int) -> int:
    """The value of a label. Raises ValueError for what is no number of at most 32 bits as people write them."""
    if not label.isascii() or not label.isalnum() or len(label) > 16:
        raise ValueError(label)
    if label.startswith("0x"):
        return int(label[2:] or "0", 16)
    return int(label, leading_zero if label.startswith("0") else 10)


def look_up(host: str, port: int) -> Sequence[str]:
    """What the name server says: IP addresses, best first, each once. Raises WebError."""
    import socket

    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError as error:
        raise _refused("is no host name", host) from error
    except OSError as error:
        fix = "check the spelling and the network"
        raise WebError("the name is not found", kind="unreachable", where=host, fix=fix) from error
    return list(dict.fromkeys(str(row[4][0]) for row in found))


def _refused(what: str, where: str) -> Refused:
    """The error for an address that is not asked."""
    return Refused(what, where=where, fix="only public addresses are asked")
