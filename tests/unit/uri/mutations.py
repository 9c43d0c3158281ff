"""Random and mutated URIs, seeded: what a crawler meets on broken and hostile pages."""

from __future__ import annotations

import random
from collections.abc import Iterator

_SCHEMES = "http:// https:// HTTP:// http: http:/ http:/// // / ftp:// dns: mailto: x+y:// javascript: a.b:"
_HOSTS = """example.com www.example.com WWW3.Example.COM. user:pw@example.com a@b@c a_b.c- xn--hgi.ws xn-- %41.com * @ :80 192.0.2.7 1.2.3
    0x7f.1 256.1.1.1 [::1] [2001:db8::1]:8080 example..com .example.com example.com%20 %E2%9E%A1.ws example.com:80 example.com:443
    example.com:0 example.com:99999 example.com: m\u00fcller.example \ud55c\uad6d.kr stra\u00dfe.de"""
_PATHS = "/ /a/b.html /a/../b /%2e%2e/x /../../.. //a//b /a\\b /100% /%zz%4 /%u011f /;p=1 ? /\u00e9/\U0001f600"
_QUERIES = """? ?& ?a=1&& ?&x& ?{}|[]^`'"<> ?a?b? ?CFID=1&CFTOKEN=2&x=3 ?u=http://www.x.example/ #frag ?x#/hash ?\u30af=\u30a8
    ?ASPSESSIONIDAQBSDSRT=EOHBLBDDPFCLHKPGGKLILNAM ?sid=a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1 ;jsessionid=Z9Z9Z9Z9Z9Z9Z9Z9Z9Z9Z9Z9Z9Z9Z9Z9
    ?PHPSESSID=0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f&b=1"""
SCHEMES = (*_SCHEMES.split(), "")
HOSTS = (*_HOSTS.split(), "", "ex ample.com")
PATHS = (*_PATHS.split(), "", "/a/b/" * 9)
QUERIES = (*_QUERIES.split(), "", "?q=a b")
ODD = "\0\t\n\r \u00a0\ufeff\u200b\u3000\u2028\ud800\udfff\\/?#%:@[]&=.-_~|^`{}<>\"'()+,;$!*\u0130\u00df\u3002\U0001f600\x7f\x01aAzZ09"


def uris(count: int, seed: int = 1) -> Iterator[str]:
    """`count` texts: well-formed ones, damaged ones, cut ones, repeated ones, noise; the same for the same seed."""
    rnd = random.Random(seed)
    for _ in range(count):
        text = rnd.choice(SCHEMES) + rnd.choice(HOSTS) + rnd.choice(PATHS) + rnd.choice(QUERIES) + rnd.choice(QUERIES)
        for _ in range(rnd.choice((0, 0, 1, 2, 5))):
            text = _mutated(text, rnd)
        yield text


def _mutated(text: str, rnd: random.Random) -> str:
    at, end = sorted((rnd.randint(0, len(text)), rnd.randint(0, len(text))))
    kind = rnd.randrange(8)
    if kind == 0:
        return text[:at] + rnd.choice(ODD) + text[at:]
    if kind == 1:
        return text[:at] + rnd.choice(ODD) + text[at + 1 :]
    if kind == 2:
        return text[:at] + text[end:]
    if kind == 3:
        return text[:end] + text[at:end] * rnd.choice((1, 2, 30)) + text[end:]
    if kind == 4:
        return text[:at] + "".join(rnd.choices(ODD, k=rnd.randint(1, 12))) + text[end:]
    if kind == 5:
        return text[:at] + f"%{rnd.randrange(256):02x}" + text[at:]
    if kind == 6:
        return text[:at] + text[at:end].swapcase() + text[end:]
    return text[:at] + chr(rnd.choice((rnd.randrange(0x300), rnd.randrange(0x10000), rnd.randrange(0x110000)))) + text[at:]
