"""What the tests assert with."""

import datetime
import email.utils
import hashlib
import json
import re
import urllib.parse
from decimal import Decimal

from flaketap_client import Pairs, text_of

MISSING = object()


def segments(pointer):
    """The segments of a JSON pointer, in which * stands for every element and ~2 for a star itself."""
    raw = pointer.split("/")[1:]
    return [s if s == "*" else s.replace("~1", "/").replace("~0", "~").replace("~2", "*") for s in raw]


def child(value, segment):
    if isinstance(value, list) and not isinstance(value, Pairs):
        return value[int(segment)] if segment.isdigit() and int(segment) < len(value) else MISSING
    if isinstance(value, Pairs):
        return next((v for k, v in reversed(value) if k == segment), MISSING)
    return value.get(segment, MISSING) if isinstance(value, dict) else MISSING


def children(value):
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def each(value, pointer):
    """Every value that the pointer names; none where it is not there."""
    found = [value]
    for raw, segment in zip(pointer.split("/")[1:], segments(pointer)):
        if raw == "*":
            found = [e for v in found for e in children(v)]
        else:
            found = [e for e in (child(v, segment) for v in found) if e is not MISSING]
    return found


def at(value, pointer):
    """The value that the pointer names."""
    found = each(value, pointer)
    assert found, f"nothing at {pointer or 'the root'}"
    return found[0]


def masked(value, *pointers, optional=()):
    """The value with ... in place of what the pointers name, and without what the optional ones name."""
    for pointer in optional:
        value = mask(value, pointer.split("/")[1:], segments(pointer), drop=True)
    for pointer in pointers:
        value = mask(value, pointer.split("/")[1:], segments(pointer), drop=False)
    return value


def mask(value, raw, path, drop):
    """The value with ... at one path, or without it."""
    if not path:
        return ...
    if isinstance(value, Pairs):
        members = ((k, mask(v, raw[1:], path[1:], drop) if path[0] in (k, "*") else v) for k, v in value)
        return Pairs((k, v) for k, v in members if not (drop and v is ...))
    if isinstance(value, dict):
        keys = [k for k in value if raw[0] == "*" or k == path[0]]
        changed = {**value, **{k: mask(value[k], raw[1:], path[1:], drop) for k in keys}}
        return {k: v for k, v in changed.items() if not (drop and v is ... and k in keys)}
    if isinstance(value, list):
        return [mask(v, raw[1:], path[1:], drop) if path[0] in (str(i), "*") else v for i, v in enumerate(value)]
    return value


def canonical(value):
    """A JSON text in which equal values are equal."""

    def plain(v):
        if v is ...:
            return "..."
        return str(v.normalize()) if isinstance(v, Decimal) else repr(v)

    return json.dumps(value, sort_keys=True, default=plain)


def same_items(a, b):
    """Whether two lists hold the same elements, in any order."""
    return sorted(map(canonical, a)) == sorted(map(canonical, b))


def matches(pattern, value):
    """Whether the whole of a text matches a regular expression."""
    return isinstance(value, str) and re.fullmatch(pattern, value) is not None


TYPES = {
    "null": lambda v: v is None,
    "boolean": lambda v: isinstance(v, bool),
    "integer": lambda v: isinstance(v, int) and not isinstance(v, bool),
    "number": lambda v: isinstance(v, (int, float, Decimal)) and not isinstance(v, bool),
    "string": lambda v: isinstance(v, str),
    "array": lambda v: isinstance(v, list) and not isinstance(v, Pairs),
    "object": lambda v: isinstance(v, (dict, Pairs)),
}


def is_type(value, names):
    """Whether a JSON value is of one of the types, as in "null|string"."""
    return any(TYPES[name](value) for name in names.split("|"))


def between(low, value, high):
    """Whether a number, or the text of one, lies within bounds."""
    try:
        number = Decimal(text_of(value))
    except ArithmeticError:
        return False
    return Decimal(low) <= number <= Decimal(high)


FORMATS = {
    "rfc3339": r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)",
    "rfc1123": r"[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (GMT|UTC|[+-]\d{4})",
    "datetime": r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?(\[[A-Za-z_/+-]+\])?",
    "date": r"\d{4}-\d\d-\d\d",
    "time": r"\d\d:\d\d(:\d\d([.,]\d+)?)?([Zz]|[+-]\d\d:?\d\d)?",
    "uuid4": r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}",
    "uuid": r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}",
    "jwt": r"[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]*",
    "bcrypt": r"\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}",
    "email": r"[^@\s]+@[^@\s]+\.[^@\s.]+",
    "uri": r"[a-zA-Z][a-zA-Z0-9+.-]*://\S+",
    "ipv4": r"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}",
    "base64": r"[A-Za-z0-9+/_-]+={0,2}",
}


def is_format(value, name):
    """Whether a text is written as the name says: rfc3339, uuid, hex:32 and so on."""
    if name.startswith("hex:"):
        return matches(r"[0-9a-fA-F]{%s}" % name[4:], value)
    return matches(FORMATS[name], value)


MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d)(:\d\d)?(?:[.,](\d+))?([Zz]|[+-]\d\d:?\d\d)?(\[.*\])?")


def instants(value):
    """The points in time, in seconds since 1970, that a value can mean. A time without a zone is taken for UTC."""
    if is_type(value, "number") or isinstance(value, str) and re.fullmatch(r"\d{9,20}(\.\d+)?", value):
        return [float(value) / scale for scale in (1, 1e3, 1e6, 1e9)]
    found = MOMENT.fullmatch(value) if isinstance(value, str) else None
    if found:
        day, minute, second, fraction, zone, _ = found.groups()
        zone = "+00:00" if zone in (None, "Z", "z") else zone
        moment = datetime.datetime.strptime(f"{day} {minute}{second or ':00'} {zone}", "%Y-%m-%d %H:%M:%S %z")
        return [moment.timestamp() + float(f"0.{fraction or 0}")]
    try:
        return [email.utils.parsedate_to_datetime(value).timestamp()]
    except (TypeError, ValueError, IndexError):
        return []


def near_clock(value, seconds, now):
    """Whether a value is a time within so many seconds of now, whichever way it is written."""
    return any(abs(moment - now) <= seconds for moment in instants(value))


def sha256(body):
    return hashlib.sha256(body).hexdigest()


def take(res, place):
    """The text at a place of an answer, as in /body/id, /header/location/path/1; None where it is not there."""
    parts = place.split("/")
    if parts[1] == "body":
        try:
            value = each(res.json(), "".join("/" + p for p in parts[2:]))
        except ValueError:
            return res.text if len(parts) == 2 else None
        return text_of(value[0]) if value and not isinstance(value[0], (dict, list)) else None
    name, rest = parts[2], segments("/" + "/".join(parts[3:])) if parts[3:] else []
    if name == "set-cookie":
        return res.cookies.get(rest[0]) if rest else None
    if name not in res.headers:
        return None
    value = res.headers[name]
    if not rest:
        return value
    link = re.search(r"<([^>]*)>", value) if name == "link" else None
    url = urllib.parse.urlsplit(link[1] if link else value)
    if rest[0] == "path":
        path = [urllib.parse.unquote(s) for s in url.path.lstrip("/").rstrip("/").split("/")]
        return path[int(rest[1])] if int(rest[1]) < len(path) else None
    values = urllib.parse.parse_qs(url.query).get(rest[1], [])
    index = int(rest[2]) if len(rest) > 2 else 0
    return values[index] if index < len(values) else None


class Bound(dict):
    """The values that answers gave and later requests use, by name; until then, those of the recording."""

    def __init__(self, recorded):
        super().__init__(recorded)
        self.recorded = dict(recorded)

    def take(self, name, res, place):
        """Keep the value that an answer gives. Where it gives none, the one known so far stays."""
        value = take(res, place)
        if value:
            self[name] = value

    def find(self, name, res, place):
        """As take; but while the list still holds the recorded value, that is the one meant."""
        parts = place.split("/")[2:]
        anywhere = "".join("/" + ("*" if p.isdigit() else p) for p in parts)
        try:
            values = [text_of(v) for v in each(res.json(), anywhere) if not isinstance(v, (dict, list))]
        except ValueError:
            values = []
        if self.recorded[name] in values:
            self[name] = self.recorded[name]
        else:
            self.take(name, res, place)
