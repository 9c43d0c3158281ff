"""Entity bodies to text, bounded: content encodings are undone and the character set is found."""

from __future__ import annotations

import re
import zlib

from redisfrontier.worker.exchange import Exchange

_BOMS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16-le"), (b"\xfe\xff", "utf-16-be"))
_CHARSET = re.compile(r"charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_META_CHARSET = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?([A-Za-z0-9_.:-]{1,40})", re.IGNORECASE)
_SNIFF_BYTES = 4096
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


def content(exchange: Exchange, limit: int) -> bytes:
    """The body without its content encodings, at most `limit` bytes; b'' for an encoding that is not known."""
    data = exchange.body
    for name in reversed([n.strip().lower() for n in (exchange.header("Content-Encoding") or "").split(",")][:4]):
        if name in ("", "identity"):
            continue
        if name not in ("gzip", "x-gzip", "deflate"):
            return b""
        data = _inflated(data, limit)
    return data[:limit]


def _inflated(data: bytes, limit: int) -> bytes:
    """What can be inflated of `data` (several gzip members too), cut at `limit`; servers' broken streams keep their good part."""
    out = bytearray()
    window = _GZIP_OR_ZLIB if data[:2] == b"\x1f\x8b" or (data[:1] or b"\0")[0] & 0x0F == 8 else -zlib.MAX_WBITS
    while data and len(out) < limit:
        machine = zlib.decompressobj(window)
        try:
            out += machine.decompress(data, limit - len(out))
        except zlib.error:
            break
        data = machine.unused_data if machine.eof else b""
    return bytes(out)


def text(exchange: Exchange, limit: int) -> str:
    """The body as text: by its BOM, the header's charset, the page's meta charset, else UTF-8; what does not fit is replaced."""
    data = content(exchange, limit)
    for bom, charset in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(charset, "replace")
    named = _CHARSET.search(exchange.header("Content-Type") or "")
    in_page = None if named else _META_CHARSET.search(data[:_SNIFF_BYTES])
    charset = named.group(1) if named else in_page.group(1).decode("ascii") if in_page else "utf-8"
    try:
        return data.decode(charset, "replace")
    except (LookupError, ValueError):  # an unknown charset, or one that is no text encoding
        return data.decode("utf-8", "replace")
