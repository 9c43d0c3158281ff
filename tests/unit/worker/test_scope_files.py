"""scope.log and SURT dumps."""

from __future__ import annotations

from redisfrontier.policy.scope.build import build_sequence
from redisfrontier.policy.scope.surt_rules import SeedSurts
from redisfrontier.worker.scope_files import ScopeLog, dump_surts


def test_the_log_is_opened_with_its_first_line_and_keeps_one_line_each(tmp_path) -> None:
    log = ScopeLog(tmp_path / "logs" / "scope.log")
    assert not (tmp_path / "logs").exists()
    log.write("0 RejectDecideRule REJECT http://a.example/")
    log.write("1 SurtPrefixedDecideRule ACCEPT http://b.example/\nforged line")
    log.close()
    assert (tmp_path / "logs" / "scope.log").read_text().splitlines() == [
        "0 RejectDecideRule REJECT http://a.example/",
        "1 SurtPrefixedDecideRule ACCEPT http://b.example/ forged line",
    ]


def test_dumps_stay_inside_the_directory(tmp_path) -> None:
    scope = build_sequence([{"rule": "surt_prefixed", "surts_dump_file": "../../etc/surts.dump"}], SeedSurts(("http://(example,a,)/",)))
    assert dump_surts(scope, tmp_path / "logs") == [tmp_path / "logs" / "surts.dump"]
    assert (tmp_path / "logs" / "surts.dump").read_text() == "http://(example,a,)/\n"
    assert dump_surts(None, tmp_path) == []
