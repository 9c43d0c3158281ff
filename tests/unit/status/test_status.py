"""Status bytes, their ranges, names and legacy mapping; fetch statuses and the codes they become."""

import pytest

from redisfrontier import status
from redisfrontier.errors import RecordError
from redisfrontier.status import FetchStatus, Status


@pytest.mark.parametrize(
    ("code", "db", "fetch", "name"),
    [
        (0x01, True, False, "db_unfetched"),
        (0x09, True, False, "db_parse_failed"),
        (0x0A, True, False, "unknown"),
        (0x1F, True, False, "unknown"),
        (0x20, False, True, "unknown"),
        (0x21, False, True, "fetch_success"),
        (0x26, False, True, "fetch_notmodified"),
        (0x3F, False, True, "unknown"),
        (0x40, False, False, "unknown"),
        (0x46, False, False, "unknown"),
        (0x41, False, False, "signature"),
        (0x42, False, False, "injected"),
        (0x43, False, False, "linked"),
        (0x44, False, False, "parse_metadata"),
        (0x45, False, True, "parse_failed"),
        # the byte is unsigned and 0x00 is none: Nutch says db for both
        (0x00, False, False, "unknown"),
        (0xFF, False, False, "unknown"),
    ],
)
def test_ranges_and_names(code, db, fetch, name):
    assert (status.has_db_status(code), status.has_fetch_status(code), status.name_of(code)) == (db, fetch, name)


def test_the_seeds_thirteen_codes_and_two_maxima_stand_as_proposed():
    proposed = {
        "DB_UNFETCHED": 0x01, "DB_FETCHED": 0x02, "DB_GONE": 0x03, "DB_REDIR_TEMP": 0x04, "DB_REDIR_PERM": 0x05,
        "FETCH_SUCCESS": 0x21, "FETCH_RETRY": 0x22, "FETCH_REDIR_TEMP": 0x23, "FETCH_REDIR_PERM": 0x24, "FETCH_GONE": 0x25,
        "SIGNATURE": 0x41, "INJECTED": 0x42, "LINKED": 0x43,
    }  # fmt: skip
    assert {n: int(Status[n]) for n in proposed} == proposed
    assert (status.DB_MAX, status.FETCH_MAX) == (0x1F, 0x3F)


def test_each_known_code_is_in_the_range_its_name_says():
    for code in Status:
        assert status.has_db_status(code) == code.name.startswith("DB_")
        assert status.has_fetch_status(code) == (code.name.startswith("FETCH_") or code is Status.PARSE_FAILED)


def test_names_are_found_in_any_case():
    assert status.code_of("DB_Fetched") == 0x02
    assert status.code_of(" fetch_gone ") == 0x25
    assert status.code_of("no_such_status") is None
    assert all(status.code_of(status.name_of(c)) == c for c in Status)


@pytest.mark.parametrize(
    ("old", "new"),
    [(0, 0x41), (1, 0x01), (2, 0x02), (3, 0x03), (4, 0x43), (5, 0x21), (6, 0x22), (7, 0x25), (8, 0x01), (9, 0x01), (-1, 0x01)],
)
@pytest.mark.parametrize("version", [1, 4])
def test_old_codes_are_mapped_by_version(old, new, version):
    assert status.read_code(old, version) == new


@pytest.mark.parametrize("version", [5, 6, 7])
def test_codes_of_newer_versions_stand_for_themselves(version):
    for code in range(1, 256):
        assert status.read_code(code, version) == code


def test_a_signed_byte_is_read_as_unsigned():
    assert status.read_code(-1, 7) == 0xFF
    assert status.read_code(-128, 7) == 0x80


@pytest.mark.parametrize(("code", "version"), [(0, 5), (0, 7), (256, 7), (-129, 7), (2, 8), (2, 0), (2, -1)])
def test_what_is_no_code_or_too_new_is_refused(code, version):
    with pytest.raises(RecordError):
        status.read_code(code, version)


@pytest.mark.parametrize("code", [0, 256, -1, True, 1.0, "2", None])
def test_check_takes_bytes_only(code):
    with pytest.raises(RecordError):
        status.check(code)


def test_an_unknown_code_inside_a_range_survives():
    assert status.check(0x1E) == 0x1E
    assert status.has_db_status(0x1E)


@pytest.mark.parametrize(
    ("fetch_status", "code"),
    [
        (200, Status.FETCH_SUCCESS), (204, Status.FETCH_SUCCESS), (206, Status.FETCH_SUCCESS), (299, Status.FETCH_SUCCESS),
        (1, Status.FETCH_SUCCESS), (1001, Status.FETCH_SUCCESS), (2001, Status.FETCH_SUCCESS), (2002, Status.FETCH_SUCCESS),
        (304, Status.FETCH_NOTMODIFIED), (301, Status.FETCH_REDIR_PERM), (308, Status.FETCH_REDIR_PERM),
        (300, Status.FETCH_REDIR_TEMP), (302, Status.FETCH_REDIR_TEMP), (303, Status.FETCH_REDIR_TEMP), (307, Status.FETCH_REDIR_TEMP),
        (400, Status.FETCH_GONE), (401, Status.FETCH_GONE), (404, Status.FETCH_GONE), (410, Status.FETCH_GONE), (429, Status.FETCH_GONE),
        (500, Status.FETCH_RETRY), (503, Status.FETCH_RETRY), (599, Status.FETCH_RETRY),
        (999, Status.FETCH_RETRY), (100, Status.FETCH_RETRY),
        (0, Status.FETCH_GONE), (-1, Status.FETCH_GONE), (-4, Status.FETCH_GONE), (-9998, Status.FETCH_GONE), (-31337, Status.FETCH_GONE),
    ],
)  # fmt: skip
def test_fetch_status_becomes_a_fetch_code(fetch_status, code):
    assert status.fetch_code(fetch_status) is code
    assert status.fetch_code(fetch_status, retried=True) is Status.FETCH_RETRY


def test_every_heritrix_status_is_told():
    for fetch_status in FetchStatus:
        info = status.describe(fetch_status)
        assert info.name == fetch_status.name
        assert info.verdict in {"succeeded", "failed", "disregarded", "retry"}
        assert info.text


@pytest.mark.parametrize(
    ("verdict", "statuses"),
    [
        ("succeeded", {1, 1001, 2001, 2002, 200, 404, 500, 401}),
        ("retry", {-1, -2, -3, -50}),
        ("disregarded", {-4001, -4002, -5000, -5001, -5002, -6000, -9998}),
        ("failed", {0, -4, -5, -6, -7, -8, -60, -61, -62, -63, -404, -3000, -4000, -5003, -5004, -7000, -12345}),
    ],
)
def test_default_verdicts(verdict, statuses):
    assert {status.describe(s).verdict for s in statuses} == {verdict}


def test_http_answers_and_unknown_numbers_have_a_name():
    assert status.describe(404).name == "HTTP_404"
    assert status.describe(-12345).name == "UNKNOWN"
