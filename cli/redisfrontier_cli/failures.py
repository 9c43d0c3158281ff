"""What an error means for the exit code, and how it is told."""

from __future__ import annotations

from typing import IO, Any

import click

from redisfrontier import errors
from redisfrontier.store.retry import RedisTrouble, is_unavailable
from redisfrontier_cli import output

OK, FAILURE, USAGE, UNAVAILABLE, NO_CRAWL, REFUSED, PARTLY = range(7)
#: For the help of the whole command.
EXIT_CODES = {
    OK: "done",
    FAILURE: "failed; `doctor`: something must be put right",
    USAGE: "a wrong option, value, URI or file",
    UNAVAILABLE: "Redis is not reachable, not ready or not fit",
    NO_CRAWL: "no such crawl",
    REFUSED: "the crawl's state or a limit does not allow it",
    PARTLY: "done, but part of the input was bad or refused",
}
_CODES: dict[type[errors.FrontierError], int] = {
    errors.NoCrawl: NO_CRAWL,
    errors.Unavailable: UNAVAILABLE,
    errors.NoServerProgram: UNAVAILABLE,
    errors.ServerUnfit: UNAVAILABLE,
    errors.WrongState: REFUSED,
    errors.LimitReached: REFUSED,
    errors.Full: REFUSED,
    errors.InvalidUri: USAGE,
    errors.SettingError: USAGE,
    errors.DefinitionError: USAGE,
    errors.BadArgument: USAGE,
}
_START_REDIS = "start Redis or correct --redis URL; `--dir DIR` uses a private server instead"
_PERMISSION = "check user and password in the URL, and the user's permissions (deploy/users.acl)"


class Failed(click.ClickException):
    """An error on its way to the user."""

    def __init__(self, message: str, remedy: str = "", code: int = FAILURE, *, json: bool = False) -> None:
        super().__init__(message)
        self.remedy, self.json = remedy, json
        self.exit_code = code  # type: ignore[misc]  # click declares it once for the class, and reads it from the instance

    def show(self, file: IO[Any] | None = None) -> None:
        """Tell it."""
        output.failure(self.message, self.remedy, self.exit_code, json=self.json)


def failed(error: Exception, *, json: bool) -> Failed | None:
    """The failure that an error is, None if nobody foresaw it."""
    if isinstance(error, errors.Unavailable) or is_unavailable(error):
        return Failed(str(error), _START_REDIS, UNAVAILABLE, json=json)
    if isinstance(error, errors.FrontierError):
        code = next((code for kind, code in _CODES.items() if isinstance(error, kind)), FAILURE)
        return Failed(str(error), error.remedy, code, json=json)
    if isinstance(error, RedisTrouble):
        return Failed(f"Redis refuses: {error}", _PERMISSION, FAILURE, json=json)
    if isinstance(error, OSError):
        return Failed(f"{error.strerror or error}: {error.filename or ''}".rstrip(": "), "check path and permissions", FAILURE, json=json)
    return None
