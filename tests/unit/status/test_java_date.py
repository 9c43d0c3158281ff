"""Java's dates, in the C locale, with their time zones."""

import locale
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from redisfrontier.operate.java_date import JavaDates


def ms(*when: int) -> int:
    return int(datetime(*when, tzinfo=UTC).timestamp()) * 1000


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mon Jan 01 00:00:00 UTC 2024", ms(2024, 1, 1)),
        ("Thu Jan 01 00:00:00 GMT 1970", 0),
        ("Sun Jan 31 19:47:32 EST 2021", ms(2021, 2, 1, 0, 47, 32)),
        ("Thu Aug 14 00:17:02 EDT 2014", ms(2014, 8, 14, 4, 17, 2)),
        ("Wed Dec 31 19:00:00 EST 1969", 0),
        ("Tue Feb 29 12:00:00 CET 2000", ms(2000, 2, 29, 11)),
        ("Mon Jul 01 12:00:00 GMT+05:30 2024", ms(2024, 7, 1, 6, 30)),
        ("Mon Jul 01 12:00:00 GMT-03:00 2024", ms(2024, 7, 1, 15)),
        ("Mon Jul 01 12:00:00 NPT 2024", ms(2024, 7, 1, 6, 15)),
        ("2024-07-01T12:00:00", ms(2024, 7, 1, 12)),
        ("2024-07-01T12:00:00.5Z", ms(2024, 7, 1, 12) + 500),
        ("2024-07-01 12:00:00+02:00", ms(2024, 7, 1, 10)),
        (" 1612139204000 ", 1_612_139_204_000),
    ],
)
def test_dates(text, expected):
    dates = JavaDates()
    assert dates.parse(text) == expected
    assert not dates.guessed


@pytest.mark.parametrize("zone", ["CST", "IST", "BST", "XYZ", "Ω"])
def test_an_ambiguous_zone_is_utc_and_noted(zone):
    dates = JavaDates()
    assert dates.parse(f"Thu Jan 08 18:38:42 {zone} 2015") == ms(2015, 1, 8, 18, 38, 42)
    assert dates.guessed == {zone}


def test_the_zone_of_the_writing_machine_decides_an_ambiguous_one():
    china = JavaDates(ZoneInfo("Asia/Shanghai"))
    assert china.parse("Thu Jan 08 18:38:42 CST 2015") == ms(2015, 1, 8, 10, 38, 42)
    assert china.parse("Thu Jan 08 18:38:42 UTC 2015") == ms(2015, 1, 8, 18, 38, 42)
    assert not china.guessed


def test_the_abbreviation_tells_the_two_hours_at_the_end_of_summer_time():
    dublin = JavaDates(ZoneInfo("Europe/Dublin"))
    assert dublin.parse("Sun Oct 27 01:30:00 IST 2024") == ms(2024, 10, 27, 0, 30)
    assert JavaDates(ZoneInfo("America/Chicago")).parse("Sun Nov 03 01:30:00 CST 2024") == ms(2024, 11, 3, 7, 30)


@pytest.mark.parametrize(
    "text",
    [
        "", "never", "Mon Foo 01 00:00:00 UTC 2024", "Mon Feb 30 00:00:00 UTC 2024", "Mon Jan 01 24:00:00 UTC 2024",
        "Mon Jan 01 00:00:00 UTC 123456", "Mo. Jan. 01 00:00:00 UTC 2024", "Mon Jan 01 00:00:00 UTC 0000", "1" * 16, "1e400",
        "2024-13-01T00:00:00", "Mon Jan 01 00:00:00 UTC ２０２４",
    ],
)  # fmt: skip
def test_what_is_no_date_is_refused(text):
    with pytest.raises(ValueError):
        JavaDates().parse(text)


def test_the_locale_of_this_process_does_not_matter(monkeypatch):
    before = locale.setlocale(locale.LC_TIME)
    available = [name for name in ("de_DE.UTF-8", "fr_FR.UTF-8", "C.UTF-8", "C") if _can(name)]
    try:
        for name in available:
            locale.setlocale(locale.LC_TIME, name)
            assert JavaDates().parse("Wed May 01 00:00:00 UTC 2024") == ms(2024, 5, 1)
    finally:
        locale.setlocale(locale.LC_TIME, before)


def _can(name: str) -> bool:
    before = locale.setlocale(locale.LC_TIME)
    try:
        locale.setlocale(locale.LC_TIME, name)
    except locale.Error:
        return False
    locale.setlocale(locale.LC_TIME, before)
    return True


def test_the_note_of_guessed_zones_is_bounded():
    dates = JavaDates()
    for i in range(300):
        dates.parse(f"Thu Jan 08 18:38:42 Q{i} 2015")
    assert len(dates.guessed) == 100


@given(st.text(max_size=60))
def test_any_text_gives_ms_or_a_value_error(text):
    try:
        assert isinstance(JavaDates().parse(text), int)
    except ValueError:
        pass


@given(st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 31)))  # noqa: DTZ001 - hypothesis wants naive bounds
def test_what_java_writes_is_read(when):
    text = when.strftime("%a %b %d %H:%M:%S UTC ") + f"{when.year:04}"
    assert JavaDates().parse(text) == int(when.replace(tzinfo=UTC, microsecond=0).timestamp()) * 1000
