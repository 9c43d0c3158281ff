"""The header of each Lua op says what the op does: keys, arguments, reply, errors, writes; and the scripts keep to the house rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import redis

from redisfrontier.store import crawl_ops, keys, ops, scripts
from redisfrontier.store.drive import _CODES
from tests.lua import headers

OPS = scripts.names()
#: Ops on crawl-wide keys say which in their headers; all others get the fixed keys of a partition.
CRAWL_WIDE = {"combine": "combine", "crawl_make": "make", "crawl_put": "put"}
FAMILIES = {*keys.FIXED, "q", "m", "g", "gw", "rec", "try", "res", "ix", "seen", "tags", "robots", "combos", "doc"}


@pytest.mark.parametrize("name", OPS)
def test_the_header_is_whole(name) -> None:
    header = headers.header(name)
    assert header.name == name
    assert header.purpose[0].islower()
    assert len(header.purpose) > 20
    wanted = {"KEYS", "RETURNS", "ERRORS", "WRITES"} | ({"ARGV"} if "ARGV" in headers.arguments(name) else set())
    assert header.sections.keys() == wanted
    assert all(text.strip() for text in header.sections.values())


@pytest.mark.parametrize("name", OPS)
def test_the_documented_arguments_are_those_that_are_used(name) -> None:
    documented = [number for number, _, _ in headers.header(name).numbered("ARGV")]
    assert documented == list(range(1, len(documented) + 1))
    text = headers.arguments(name)
    single = {int(number) for number in re.findall(r"ARGV\[(\d+)\]", text)}
    loop = re.search(r"for i = (\d+), #ARGV(?:, (\d+))? do", text)
    if loop is None:
        if "ipairs(ARGV)" in text or "unpack(ARGV)" in text:
            assert not single
        else:
            assert single == set(documented)
        return
    first, stride = int(loop[1]), int(loop[2] or 1)
    if stride == 1:  # all the rest, one after the other
        assert single | {first} <= set(documented)
        assert single <= set(range(1, first + 1))
        return
    assert single | set(range(first, first + stride)) == set(documented)
    assert first + stride - 1 == len(documented)
    offsets = {int(n) for n in re.findall(r"(?:ARGV|args)\[i \+ (\d+)\]", text)} | ({0} if re.search(r"(ARGV|args)\[i\]", text) else set())
    assert offsets <= set(range(stride))
    if len(offsets) > 1:
        assert offsets == set(range(stride))


NUMBERS = dict(zip(["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"], range(1, 10), strict=True))


@pytest.mark.parametrize("name", [n for n in OPS if re.search(r"for i = \d+, #ARGV, \d", headers.body(n))])
def test_a_batch_says_where_it_begins_and_how_many_arguments_an_item_has(name) -> None:
    loop = re.search(r"for i = (\d+), #ARGV, (\d+) do", headers.arguments(name))
    assert loop is not None
    said = [(number, re.search(r"first of (\w+) arguments", text)) for number, _, text in headers.header(name).numbered("ARGV")]
    assert [(number, NUMBERS[told[1]]) for number, told in said if told] == [(int(loop[1]), int(loop[2]))]


@pytest.mark.parametrize("name", OPS)
def test_every_error_has_a_class(name) -> None:
    header = headers.header(name)
    assert header.errors().keys() <= _CODES.keys()
    raised = set(re.findall(r"error_reply\('([A-Z]+) ", "\n".join(headers.functions(scripts.load(name).text)[part] for part in used(name))))
    raised -= {"WRONGKEY"}
    assert raised == set(header.errors())


def used(name: str) -> set[str]:
    return headers.reached(headers.functions(scripts.load(name).text))


@pytest.mark.parametrize("name", OPS)
def test_it_writes_what_its_header_names_and_nothing_else(name) -> None:
    header = headers.header(name)
    assert header.writes() == headers.can_write(name)
    assert header.writes() <= FAMILIES
    assert headers.unknown_commands(scripts.load(name).text) == set()


def test_the_fixed_keys_stand_in_the_same_order_on_both_sides() -> None:
    text = headers.uncommented((scripts.folder() / "include" / "keys.lua").read_text(encoding="utf-8"))
    pairs: list[tuple[str, str]] = []
    for left, right in re.findall(r"^local ([K_A-Z, ]+) = (KEYS.*)$", text, re.MULTILINE):
        pairs += zip(left.split(", "), re.findall(r"KEYS\[(\d+)\]", right), strict=True)
    assert [int(number) for _, number in pairs] == list(range(1, len(keys.FIXED) + 1))
    assert [name.removeprefix("K_").lower() for name, _ in pairs] == list(keys.FIXED)


@pytest.mark.parametrize("name", OPS)
def test_keys_are_declared(name) -> None:
    header, text = headers.header(name), headers.body(name)
    numbered = [number for number, _, _ in header.numbered("KEYS")]
    if name in CRAWL_WIDE:
        assert {int(n) for n in re.findall(r"KEYS\[(\d+)\]", text)} == set(numbered)
    else:
        assert header.sections["KEYS"].strip() == "the fixed keys (include/keys.lua)"
        assert "KEYS[" not in text


def test_every_op_has_a_method_of_its_name_in_python() -> None:
    described = {name for name in OPS if callable(getattr(ops.Ops, name, None))}
    assert set(OPS) - described == set(CRAWL_WIDE)
    for method in CRAWL_WIDE.values():
        assert callable(getattr(crawl_ops, method))


@pytest.mark.parametrize("name", OPS)
def test_no_script_looks_through_the_whole_keyspace(name) -> None:
    text = headers.uncommented(scripts.load(name).text)
    assert not re.search(r"'(KEYS|SCAN|HSCAN|SSCAN|ZSCAN|RANDOMKEY|FLUSHALL|FLUSHDB|EVAL)'", text)
    assert "math.random" not in text
    assert "cmsgpack" not in text
    assert "cjson" not in text


#: What looks like a call and is none, and what Lua itself offers.
NO_CALLS = {"function", "and", "or", "not", "if", "in", "return", "elseif", "while", "until"}
OF_LUA = {"tonumber", "tostring", "type", "pairs", "ipairs", "unpack", "setmetatable", "rawget", "rawset"}
DECLARATIONS = (
    r"\blocal function (\w+)",
    r"\b(?:local|for) ([\w, ]+?) (?:=|in)\s",
    r"\bfunction ?\w*\(([\w, ]*)\)",
    r"^\s*local ([\w, ]+)$",
)


def globals_of(name: str) -> set[str]:
    """Names that a script assigns or calls without having declared them: Redis lets none be set, nor one be read that is not there."""
    text = re.sub(r"'(?:[^'\\\n]|\\.)*'", "''", headers.uncommented(scripts.load(name).text))
    declared = {word for shape in DECLARATIONS for names in re.findall(shape, text, re.MULTILINE) for word in re.findall(r"\w+", names)}
    assigned = set(re.findall(r"^\s*(\w+) = ", text, re.MULTILINE)) | set(re.findall(r"^function (\w+)", text, re.MULTILINE))
    called = set(re.findall(r"(?<![.:\w])(\w+)\(", text)) - NO_CALLS - OF_LUA
    fields = set(re.findall(r"[{,]\s*(\w+) = ", text))
    return (assigned - declared - fields) | (called - declared)


@pytest.mark.parametrize("name", OPS)
def test_no_script_touches_a_global(name) -> None:
    assert globals_of(name) == set()


@pytest.mark.parametrize("name", OPS)
def test_a_real_server_compiles_it(redis_client: redis.Redis, name: str) -> None:
    script = scripts.load(name)
    assert redis_client.script_load(script.text) == script.sha.encode() or redis_client.script_load(script.text) == script.sha


def test_a_script_stays_within_what_lua_can_hold() -> None:
    """A function holds at most 200 local names; the loader encloses includes so that a chunk stays far below."""
    for name in OPS:
        text = re.sub(r"^do\n.*?^end\n", "", scripts.load(name).text, flags=re.MULTILINE | re.DOTALL)
        for part in re.split(r"return \(function\(\)|local late = function\(\)|-- @made", text):  # each is a function of its own
            found = sum(len(names.split(",")) for names in re.findall(r"^local (?:function )?([\w, ]+)", part, re.MULTILINE))
            assert found <= 195, name


def test_the_checks_see_what_they_look_for(monkeypatch: pytest.MonkeyPatch) -> None:
    bad = "leaked = 1\nhput(K_W, 'a', 'b')\ncall('FLUSHALL')\nnot_there(1)\n"
    spoilt = scripts.load("wake").text.replace("local woken = 0\n", "local woken = 0\n" + bad)
    monkeypatch.setattr(scripts, "load", lambda name: scripts.Script(name, spoilt, ""))
    assert globals_of("wake") == {"leaked", "not_there"}
    assert headers.can_write("wake") - headers.header("wake").writes() == {"w"}
    assert headers.unknown_commands(spoilt) == {"FLUSHALL"}


def test_the_files_are_small_and_have_one_job() -> None:
    folder = Path(str(scripts.folder()))
    for file in [*folder.glob("*.lua"), *folder.glob("include/*.lua")]:
        assert len(file.read_text(encoding="utf-8").splitlines()) <= 120, file.name
