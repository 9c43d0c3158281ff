"""Reads the beans of a Spring XML file, each value with its line, and the property texts inside (hostile input is bounded)."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.sax import SAXException
from xml.sax.handler import ContentHandler

from defusedxml import DefusedXmlException, ExternalReferenceForbidden
from defusedxml.sax import make_parser

from redisfrontier.errors import DefinitionError

MAX_BYTES = 16 * 1024 * 1024
"""Size of a file above which it is refused."""
MAX_DEPTH = 60
"""Nesting of elements above which it is refused."""


@dataclass(slots=True)
class Text:
    """A plain value."""

    text: str
    line: int


@dataclass(slots=True)
class Ref:
    """A reference to a bean by its id."""

    bean: str
    line: int


@dataclass(slots=True)
class Items:
    """A list, set or array."""

    items: list[Value]
    line: int


@dataclass(slots=True)
class Entries:
    """A map or a set of properties."""

    pairs: list[tuple[Text, Value]]
    line: int


@dataclass(slots=True)
class Bean:
    """One bean; `id` is empty for an inner one."""

    id: str
    cls: str
    line: int
    properties: dict[str, Property] = field(default_factory=dict)
    args: list[Value] = field(default_factory=list)

    @property
    def kind(self) -> str:
        """The class without its package."""
        return self.cls.rpartition(".")[2]


@dataclass(slots=True)
class Property:
    """One property of a bean with the line it stands on."""

    value: Value
    line: int


Value = Text | Ref | Items | Entries | Bean


@dataclass(slots=True)
class Document:
    """A file's top-level beans in order, and the elements that are not beans: (line, name)."""

    beans: list[Bean]
    others: list[tuple[int, str]]


@dataclass(slots=True)
class _Node:
    tag: str
    attrs: dict[str, str]
    line: int
    children: list[_Node] = field(default_factory=list)
    chunks: list[str] = field(default_factory=list)
    text_line: int = 0

    def text(self) -> Text:
        return Text("".join(self.chunks), self.text_line or self.line)


class _Tree(ContentHandler):
    """Builds nodes that know their lines."""

    def __init__(self) -> None:
        super().__init__()
        self.root = _Node("", {}, 1)
        self._open = [self.root]
        self._locator: Any = None

    def setDocumentLocator(self, locator: Any) -> None:  # noqa: N802 (the parser's name)
        self._locator = locator

    def startElement(self, name: str, attrs: Any) -> None:  # noqa: N802
        if len(self._open) > MAX_DEPTH:
            raise DefinitionError(f"line {self._line()}: elements nested deeper than {MAX_DEPTH}", remedy="this is no crawl configuration")
        node = _Node(name.rpartition(":")[2] if name.startswith("beans:") else name, dict(attrs.items()), self._line())
        self._open[-1].children.append(node)
        self._open.append(node)

    def endElement(self, name: str) -> None:  # noqa: N802
        self._open.pop()

    def characters(self, content: str) -> None:
        node = self._open[-1]
        if not node.chunks:
            node.text_line = self._line()
        node.chunks.append(content)

    def _line(self) -> int:
        line: int = self._locator.getLineNumber() if self._locator else 0
        return line


def parse(data: bytes, name: str) -> Document:
    """The beans of a file; raises DefinitionError (with the line) for what is no XML, has entities, or is too big."""
    if len(data) > MAX_BYTES:
        raise DefinitionError(f"{name}: larger than {MAX_BYTES} bytes", remedy="move long seed lists and SURT lists to files of their own")
    tree, parser = _Tree(), make_parser()
    parser.setContentHandler(tree)
    try:
        parser.parse(io.BytesIO(data))
    except ExternalReferenceForbidden as e:
        raise DefinitionError(f"{name}: refers to {e.sysid!r}, which is not read", remedy="remove the DOCTYPE line") from e
    except DefusedXmlException as e:
        raise DefinitionError(f"{name}: entities are not read ({type(e).__name__})", remedy="write the text instead of the entity") from e
    except SAXException as e:
        where = getattr(e, "getLineNumber", int)()
        raise DefinitionError(f"{name}:{where}: not well-formed XML: {e.getMessage()}", remedy="correct the file") from e
    if not tree.root.children or tree.root.children[0].tag != "beans":
        raise DefinitionError(f"{name}: no <beans> element", remedy="give a Heritrix crawler-beans.cxml")
    top = tree.root.children[0].children
    beans = [_bean(node) for node in top if node.tag == "bean"]
    return Document(beans, [(node.line, f"<{node.tag}>") for node in top if node.tag not in ("bean", "description")])


def _bean(node: _Node) -> Bean:
    bean = Bean(node.attrs.get("id") or node.attrs.get("name", ""), node.attrs.get("class", ""), node.line)
    for key, value in node.attrs.items():
        if key.startswith("p:"):
            name = key[2:].removesuffix("-ref")
            bean.properties[name] = Property(Ref(value, node.line) if key.endswith("-ref") else Text(value, node.line), node.line)
    for child in node.children:
        if child.tag == "property":
            bean.properties[child.attrs.get("name", "")] = Property(_held(child), child.line)
        elif child.tag == "constructor-arg":
            bean.args.append(_held(child))
    return bean


def _held(node: _Node) -> Value:
    """What a property, entry or constructor argument holds: its attribute, or its one child element."""
    if "value" in node.attrs:
        return Text(node.attrs["value"], node.line)
    ref = node.attrs.get("ref") or node.attrs.get("value-ref")
    if ref is not None:
        return Ref(ref, node.line)
    inner = [child for child in node.children if child.tag not in ("description", "key")]
    return _value(inner[0]) if inner else node.text()


def _value(node: _Node) -> Value:
    if node.tag == "bean":
        return _bean(node)
    if node.tag in ("ref", "idref"):
        return Ref(node.attrs.get("bean") or node.attrs.get("local", ""), node.line)
    if node.tag in ("list", "set", "array"):
        return Items([_value(child) for child in node.children if child.tag != "description"], node.line)
    if node.tag == "map":
        return Entries([(_key(child), _held(child)) for child in node.children if child.tag == "entry"], node.line)
    if node.tag == "props":
        return Entries([(Text(child.attrs.get("key", ""), child.line), child.text()) for child in node.children], node.line)
    return node.text()


def _key(entry: _Node) -> Text:
    if "key" in entry.attrs:
        return Text(entry.attrs["key"], entry.line)
    for child in entry.children:
        if child.tag == "key":
            held = _held(child)
            return held if isinstance(held, Text) else Text("", child.line)
    return Text("", entry.line)


def described(value: Value) -> str:
    """A value in short, for a finding."""
    if isinstance(value, Text):
        return " ".join(value.text.split()) or "(empty)"
    if isinstance(value, Ref):
        return f"bean {value.bean}"
    if isinstance(value, Bean):
        return value.kind or "(a bean)"
    return f"{len(value.items if isinstance(value, Items) else value.pairs)} entries"


def flush_left(text: str) -> str:
    """A text without the indentation of the file it stood in."""
    return "\n".join(line.strip() for line in text.strip().splitlines())


_ESCAPE = re.compile(r"\\(u[0-9A-Fa-f]{4}|.)", re.DOTALL)
_PLAIN = {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}
_PAIR = re.compile(r"((?:\\.|[^\\=:\s])*)\s*[=:]?\s*(.*)", re.DOTALL)


def properties(value: Text) -> Iterator[tuple[Text, Text]]:
    """The pairs of a Java properties text (comments, continued lines, escapes), each with its line."""
    held, start = "", 0
    for number, raw in enumerate(re.split(r"\r\n|\r|\n", value.text), value.line):
        line = raw.lstrip(" \t\f")
        if not held and (not line or line[0] in "#!"):
            continue
        start = start if held else number
        held += line
        if _continues(held):
            held = held[:-1]
            continue
        yield _pair(held, start)
        held = ""
    if held:
        yield _pair(held, start)


def _continues(line: str) -> bool:
    return (len(line) - len(line.rstrip("\\"))) % 2 == 1


def _pair(line: str, number: int) -> tuple[Text, Text]:
    match = _PAIR.fullmatch(line)
    key, value = (match[1], match[2]) if match else (line, "")
    return Text(_unescaped(key), number), Text(_unescaped(value), number)


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[1][1:], 16)) if len(m[1]) == 5 else _PLAIN.get(m[1], m[1]), text)
