"""The loader of the scripts: includes once each, cycles, what an include shows, the settings it fetches; and scripts that a server lost."""

from __future__ import annotations

import re
from hashlib import sha1
from pathlib import Path

import pytest

from redisfrontier.frontier import Frontier
from redisfrontier.settings import SPECS
from redisfrontier.store import scripts
from redisfrontier.store.scripts import often_read
from redisfrontier.store.splice import _SETTING, ScriptError, enclosed, fetching, reading, settings_in, splice


def put(folder: Path, **texts: str) -> Path:
    for name, text in texts.items():
        (folder / f"{name}.lua").write_text(text, encoding="utf-8")
    return folder


def test_an_include_comes_once_and_before_what_needs_it(tmp_path) -> None:
    put(tmp_path, base="local base = 1\n", left="-- @include base\nlocal left = base\n")
    put(tmp_path, right="-- @include base\n-- @include left\nlocal right = left\n")
    text = splice("-- @include right\n-- @include left\n-- @include base\nreturn right\n", tmp_path)
    assert text == "local base = 1\nlocal left = base\nlocal right = left\nreturn right\n"


def test_a_cycle_names_its_way(tmp_path) -> None:
    put(tmp_path, a="-- @include b\n", b="-- @include c\n", c="-- @include a\n")
    with pytest.raises(ScriptError, match="include a includes itself: a -> b -> c -> a"):
        splice("-- @include a\n", tmp_path)


def test_an_include_of_itself_is_a_cycle_too(tmp_path) -> None:
    put(tmp_path, a="-- @include a\n")
    with pytest.raises(ScriptError, match="a -> a"):
        splice("-- @include a\n", tmp_path)


def test_a_missing_include_says_who_wants_it(tmp_path) -> None:
    put(tmp_path, a="-- @include nowhere\n")
    with pytest.raises(ScriptError, match=r"no include nowhere\.lua \(wanted by a\)"):
        splice("-- @include a\n", tmp_path)
    with pytest.raises(ScriptError, match="wanted by the script"):
        splice("-- @include nowhere\n", tmp_path)


def test_only_a_line_of_its_own_includes(tmp_path) -> None:
    text = "local a = 1 -- @include nowhere\n  -- @include nowhere\n"
    assert splice(text, tmp_path) == text


def test_what_an_include_exports_is_all_that_shows() -> None:
    hidden = "local function hidden() return VALUE end\n"
    text = enclosed(f"-- @exports shown VALUE\nlocal VALUE = 2\n{hidden}local function shown() return hidden() end\n")
    assert text.startswith("local shown, VALUE\ndo\n")
    assert text.endswith("end\n")
    assert "\nVALUE = 2\n" in text
    assert "\nfunction shown() " in text
    assert "\nlocal function hidden() " in text


def test_an_export_that_is_not_defined_is_an_error() -> None:
    with pytest.raises(ScriptError, match="exports gone, which it does not define"):
        enclosed("-- @exports gone\nlocal function shown() end\n")


def test_a_name_that_only_begins_like_an_export_stays_local() -> None:
    text = enclosed("-- @exports out\nlocal outer = 1\nlocal function out() return outer end\n")
    assert "\nlocal outer = 1\n" in text
    assert "\nfunction out() " in text


def test_a_late_include_makes_its_functions_when_one_is_called() -> None:
    text = enclosed("-- @late: seldom\n-- @exports out\nlocal function out() return S.lease_ms end\n")
    assert text.startswith("local out\ndo\nlocal late = function()\n")
    assert text.endswith("\nout = function(...) late() return (out)(...) end\nend\n")
    assert settings_in(text + "return S.max_retries\n") == {"max_retries"}


GENERAL = """-- @general
-- @exports one two three
local function one() return S.lease_ms end
local function two() return one() end
local function three() return two() end
"""


def test_the_general_half_is_one_function_that_the_first_call_of_what_it_shows_makes(tmp_path) -> None:
    put(tmp_path, base="local A = KEYS[1]\n-- @constants\n-- @layer\n", general="-- @include base\n-- @include more\n" + GENERAL)
    put(tmp_path, more="-- @exports more\nlocal function more() end\n", usual="-- @include base\n-- @include general\nlocal x = three\n")
    text = splice("-- @include usual\nreturn two() -- one\n", tmp_path)
    first, usual = text.index("return (function()\nlocal two, three\n"), text.index("local x = three")
    assert first < usual < text.index("local late = function()\nlocal A = KEYS[1]\n")
    half = text[text.index("local late") : text.index("-- @made")]
    assert half.index("fetch({ 'lease_ms' }, 1)\n") < half.index("local more\ndo\n") < half.index("local one\ndo\n")
    assert text.endswith("""-- @made
two = function(...) late() return (two)(...) end
three = function(...) late() return (three)(...) end
return two() -- one
end)()
""")


def test_the_general_half_shows_only_functions(tmp_path) -> None:
    put(tmp_path, general="-- @general\n-- @exports LIST\nlocal LIST = {}\n")
    with pytest.raises(ScriptError, match="shows LIST, which is not a function"):
        splice("-- @include general\nreturn LIST\n", tmp_path)


def test_an_include_that_is_a_part_of_another_comes_inside_of_it(tmp_path) -> None:
    put(tmp_path, part="-- @inside whole\nlocal part = 1\n")
    put(tmp_path, whole="-- @include part\n-- @exports whole\nlocal function whole() return part end\n")
    text = splice("-- @include whole\nreturn whole()\n", tmp_path)
    assert text.index("local whole\ndo\n") < text.index("local part = 1\n") < text.index("function whole()")


def test_what_all_busy_scripts_read_is_told() -> None:
    assert often_read()["run_state"] == 3
    assert often_read()["lease_ms"] == 1
    assert often_read()["adaptive_inc_rate"] == 0


def test_only_the_settings_that_a_script_reads_are_read(tmp_path) -> None:
    put(tmp_path, base="-- @wanted\n")
    text = splice("-- @include base\nlocal a = S.lease_ms + s.min_delay_ms + settings_of(q).max_in_flight + seconds.lease\n", tmp_path)
    names = ("lease_ms", "max_in_flight", "min_delay_ms", "run_state", "schema", "test_clock", "version")
    assert text.splitlines()[0] == f"  local v = call('HMGET', K_CONF, {', '.join(map(repr, names))})"


def test_numbers_are_read_as_numbers_into_a_table_of_their_size() -> None:
    assert reading({"retention", "lease_ms"}).splitlines() == [
        "  local v = call('HMGET', K_CONF, 'lease_ms', 'retention')",
        "  S = setmetatable({ lease_ms = v[1] and v[1] + 0 or nil, retention = v[2] or nil }, OTHERS)",
    ]


def test_numbers_are_fetched_before_texts() -> None:
    assert fetching({"retention", "lease_ms", "delay_factor", "retry_statuses"}) == (
        "fetch({ 'delay_factor', 'lease_ms', 'retention', 'retry_statuses' }, 2)\n"
    )


def test_every_fetched_setting_exists() -> None:
    known = {*SPECS, "schema", "version", "run_state", "test_clock", "finish_reason"}
    for name in scripts.names():
        lines = re.findall(r"^(?:fetch\(\{|  local v = call\('HMGET', K_CONF,) .*", scripts.load(name).text, re.MULTILINE)
        assert set(re.findall(r"'(\w+)'", "".join(lines))) - {"HMGET"} <= known, name


def test_every_setting_of_the_scripts_is_given_to_the_partitions() -> None:
    texts = [scripts.load(name).text for name in scripts.names()]
    used = {setting for text in texts for setting in _SETTING.findall(text)} & SPECS.keys()
    assert {name for name in used if not SPECS[name]["server"]} == set()


def test_the_name_of_a_script_is_the_hash_of_what_is_sent() -> None:
    shas = {scripts.load(name).sha for name in scripts.names()}
    assert len(shas) == len(scripts.names()) > 20
    assert all(scripts.load(n).sha == sha1(scripts.load(n).text.encode(), usedforsecurity=False).hexdigest() for n in scripts.names())
    assert all("@include" not in scripts.load(n).text for n in scripts.names())


def crawl(url: str, partitions: int = 1) -> Frontier:
    settings = {"uniqueness": "exact", "min_delay_ms": 0, "unset_delay_ms": 0}
    frontier = Frontier.create(url, "c", settings, partitions=partitions, scope=[{"rule": "accept"}])
    frontier.start()
    return frontier


def test_a_script_that_the_server_lost_is_sent_again(redis_url) -> None:
    with crawl(redis_url) as frontier:
        frontier.schedule(["http://a.test/", "http://b.test/"])
        frontier.client.script_flush()
        first = frontier.claim(2)
        frontier.client.script_flush()
        assert [s.verdict for s in frontier.finish([c.outcome(200) for c in first])] == ["succeeded", "succeeded"]
        assert frontier.stats()["succeeded"] == 2


def test_also_inside_a_pipeline_and_each_command_runs_once(redis_url) -> None:
    """8 partitions are asked in one pipeline; no call is repeated that the server has run, and none is left out."""
    with crawl(redis_url, partitions=8) as frontier:
        uris = [f"http://h{i}.test/" for i in range(64)]
        frontier.client.script_flush()
        assert {a.outcome for a in frontier.schedule(uris)} == {"added"}
        frontier.client.script_flush()
        claims = frontier.claim(64)
        assert len({c.id for c in claims}) == len(claims) == 64
        frontier.client.script_flush()
        settled = frontier.finish([c.outcome(200) for c in claims])
        assert [s.verdict for s in settled] == ["succeeded"] * 64
        stats = frontier.stats()
        assert (stats["admitted"], stats["succeeded"], stats["in_flight"], stats["pending"]) == (64, 64, 0, 0)


async def test_the_async_driver_does_so_too(redis_url) -> None:
    from redisfrontier.aio import AsyncFrontier

    crawl(redis_url, partitions=4).close()
    frontier = await AsyncFrontier.connect(redis_url, "c")
    try:
        await frontier.client.script_flush()
        await frontier.schedule([f"http://h{i}.test/" for i in range(20)])
        await frontier.client.script_flush()
        claims = await frontier.claim(20)
        await frontier.client.script_flush()
        assert [s.verdict for s in await frontier.finish([c.outcome(404) for c in claims])] == ["succeeded"] * 20
    finally:
        await frontier.close()


# -- parts that are made late, lie inside others, or in a layer of their own --

LATE = """-- @late
-- @exports one two
local shared = {}
local function one(x) shared.x = x return two() end
local function two() return shared.x end
"""


def test_a_late_include_is_made_at_its_first_call_and_once(redis_client) -> None:
    made = LATE.replace("local shared", "count = count + 1\nlocal shared")
    text = f"local count = 0\n{enclosed(made)}local before = count\nreturn {{ before, one(7), two(), one(8), two(), count }}"
    assert redis_client.eval(text, 0) == [0, 7, 7, 8, 8, 1]


def test_settings_that_only_late_parts_read_are_not_among_the_usual() -> None:
    late = LATE.replace("shared.x = x", "shared.x = x + S.lease_ms")
    assert settings_in(enclosed(late) + "return S.min_delay_ms\n") == {"min_delay_ms"}


def test_an_inside_include_lies_in_each_that_needs_it(tmp_path) -> None:
    put(tmp_path, part="-- @inside a b\n-- @exports helper\nlocal function helper() return 1 end\n")
    for name in ("a", "b"):
        put(tmp_path, **{name: f"-- @include part\n-- @exports {name}\nlocal function {name}() return helper() end\n"})
    text = splice("-- @include a\n-- @include b\nreturn a() + b()\n", tmp_path)
    assert text.count("local function helper()") == 2
    assert re.findall(r"^local (\w+)$", text, re.MULTILINE) == ["a", "b"]


def test_what_follows_the_layer_line_is_a_function_of_its_own(tmp_path, redis_client) -> None:
    put(tmp_path, base="local a = 1\n-- @layer\n")
    text = splice("-- @include base\nlocal b = a + 1\nreturn { a, b }\n", tmp_path)
    assert redis_client.eval(text, 0) == [1, 2]
    assert text.count("(function()") == 1
    assert splice("return 1\n", tmp_path) == "return 1\n"
