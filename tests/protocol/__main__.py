"""`python -m tests.protocol` writes PROTOCOL.md."""

from tests.conftest import ROOT
from tests.protocol.text import protocol

if __name__ == "__main__":
    (ROOT / "PROTOCOL.md").write_text(protocol(), encoding="utf-8")
