"""WARC files of one worker process: response, request and metadata records, a gzip member each, rotated by size."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path
from typing import BinaryIO

from warcio.statusandheaders import StatusAndHeaders
from warcio.warcwriter import WARCWriter

from redisfrontier.worker.exchange import Exchange
from redisfrontier.worker.visit import Visit

_NOT_MODIFIED_PROFILE = "http://netpreserve.org/warc/1.0/revisit/server-not-modified"
#: aiohttp joins chunks, so this header no longer describes the stored body.
_UNDONE = "transfer-encoding"
_OPEN = ".open"


class WarcFiles:
    """Writes visits to `<prefix>-<time>-<serial>-<worker>.warc.gz`; a file in work ends in `.open`."""

    def __init__(self, directory: Path, worker: str, *, max_bytes: int, now_ms: Callable[[], int], software: str) -> None:
        self._directory, self._max_bytes, self._now_ms, self._software = directory, max_bytes, now_ms, software
        self._worker = "".join(c if c.isascii() and (c.isalnum() or c in ".-") else "_" for c in worker)[:100]
        self._serial = 0
        self._file: BinaryIO | None = None
        self._path = directory
        directory.mkdir(parents=True, exist_ok=True)

    def write(self, visit: Visit, outlinks: int = 0) -> None:
        """Append the records of a visit that got an answer; a visit without one leaves no trace here."""
        exchange = visit.exchange
        if exchange is None or exchange.status <= 0:
            return
        writer = WARCWriter(self._ready(), gzip=True)
        writer.write_record(_response(writer, exchange))
        writer.write_record(_request(writer, exchange))
        writer.write_record(_metadata(writer, visit, exchange, outlinks))
        if self._file is not None and self._file.tell() >= self._max_bytes:
            self.close()

    def close(self) -> None:
        """Close the file in work under its final name."""
        if self._file is not None:
            self._file.close()
            self._path.rename(self._path.with_name(self._path.name.removesuffix(_OPEN)))
            self._file = None

    def _ready(self) -> BinaryIO:
        if self._file is None:
            moment = datetime.fromtimestamp(self._now_ms() / 1000, UTC).strftime("%Y%m%d%H%M%S")
            name = f"redisfrontier-{moment}-{self._serial:05d}-{self._worker}.warc.gz"
            self._serial += 1
            self._path = self._directory / (name + _OPEN)
            self._file = self._path.open("xb")
            writer = WARCWriter(self._file, gzip=True)
            writer.write_record(writer.create_warcinfo_record(name, {"software": self._software, "format": "WARC File Format 1.0"}))
        return self._file


def _headers(exchange: Exchange) -> dict[str, str]:
    began = datetime.fromtimestamp(exchange.began_ms // 1000, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    headers = {"WARC-Date": began}
    if exchange.server_ip:
        headers["WARC-IP-Address"] = exchange.server_ip
    if exchange.truncated:
        headers["WARC-Truncated"] = "time" if exchange.truncated.startswith("time") else "length"
    return headers


def _response(writer: WARCWriter, exchange: Exchange) -> object:
    fields = [("X-Crawler-Transfer-Encoding" if k.lower() == _UNDONE else k, v) for k, v in exchange.headers]
    http = StatusAndHeaders(f"{exchange.status} {exchange.reason}".strip(), fields, protocol=f"HTTP/{exchange.http_version}")
    extra = _headers(exchange)
    if exchange.status == 304:
        extra["WARC-Profile"] = _NOT_MODIFIED_PROFILE
        return writer.create_warc_record(exchange.uri, "revisit", http_headers=http, warc_headers_dict=extra)
    return writer.create_warc_record(
        exchange.uri, "response", payload=BytesIO(exchange.body), length=len(exchange.body), http_headers=http, warc_headers_dict=extra
    )


def _request(writer: WARCWriter, exchange: Exchange) -> object:
    http = StatusAndHeaders(f"GET {exchange.request_target} HTTP/1.1", list(exchange.request_headers), is_http_request=True)
    return writer.create_warc_record(exchange.uri, "request", http_headers=http, warc_headers_dict=_headers(exchange))


def _metadata(writer: WARCWriter, visit: Visit, exchange: Exchange, outlinks: int) -> object:
    record = visit.claim.record
    fields: Mapping[str, object] = {
        "via": record.via,
        "hopsFromSeed": record.path or None,
        "sourceTag": record.source_tag,
        "fetchTimeMs": exchange.duration_ms,
        "outlinks": outlinks or None,
    }
    lines = "".join(f"{k}: {' '.join(str(v).split())}\r\n" for k, v in fields.items() if v is not None).encode("utf-8", "replace")
    return writer.create_warc_record(
        exchange.uri,
        "metadata",
        payload=BytesIO(lines),
        length=len(lines),
        warc_content_type="application/warc-fields",
        warc_headers_dict={"WARC-Date": _headers(exchange)["WARC-Date"]},
    )
