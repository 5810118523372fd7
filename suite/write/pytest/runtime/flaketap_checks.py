"""What the tests assert with."""

import base64
import datetime
import hashlib
import json
import re
import urllib.parse
import zlib
from decimal import Decimal

from flaketap_client import Pairs, parse_json, text_of

MISSING = object()


def segments(pointer):
    """The segments of a JSON pointer; * matches every element, ~2 is a literal star, ~3 a leading @."""
    escapes = {"~0": "~", "~1": "/", "~2": "*", "~3": "@"}
    return [re.sub("~[0-3]", lambda escape: escapes[escape[0]], s) for s in pointer.split("/")[1:]]


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
    """Every value that the pointer matches; none if there is none."""
    found = [value]
    for raw, segment in zip(pointer.split("/")[1:], segments(pointer)):
        if raw == "*":
            found = [e for v in found for e in children(v)]
        elif raw == "@jwt":
            found = [t for t in map(token_parts, found) if t]
        else:
            found = [e for e in (child(v, segment) for v in found) if e is not MISSING]
    return found


def token_parts(value):
    """What a JSON web token holds, its lifetime among it; None if it is none. The signature is not checked."""
    parts = value.removeprefix("Bearer ").split(".") if isinstance(value, str) else []
    if len(parts) != 3 or not all(re.fullmatch("[A-Za-z0-9_-]*", part) for part in parts):
        return None
    try:
        header, claims = (parse_json(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))) for part in parts[:2])
    except ValueError:
        return None
    if not is_type(header, "object") or not is_type(claims, "object") or child(header, "alg") is MISSING:
        return None
    times = [child(claims, name) for name in ("exp", "iat")]
    lifetime = {"lifetime": times[0] - times[1]} if all(is_type(t, "integer") for t in times) else {}
    return {"header": header, "claims": claims, "signature": parts[2], **lifetime}


def at(value, pointer):
    """The value that the pointer names."""
    found = each(value, pointer)
    assert found, f"nothing at {pointer or 'the root'}"
    return found[0]


def masked(value, *pointers, absent=()):
    """The value with ... at the masked pointers, and without the absent ones."""
    for pointer in absent:
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
    """A JSON text that is the same for equal values."""

    def plain(v):
        if v is ...:
            return "..."
        return str(v.normalize()) if isinstance(v, Decimal) else repr(v)

    return json.dumps(value, sort_keys=True, default=plain)


def same_items(a, b, as_set=False):
    """Whether two lists have the same elements in any order; as sets, duplicates do not count."""
    a, b = sorted(map(canonical, a)), sorted(map(canonical, b))
    return set(a) == set(b) if as_set else a == b


def has_items(found, *wanted):
    """Whether a list has these elements, each as often as it is given, whatever else it has."""
    found, wanted = list(map(canonical, found)), list(map(canonical, wanted))
    return all(found.count(v) >= wanted.count(v) for v in wanted)


def has_keys(value, *keys):
    """Whether an object has these members."""
    return all(child(value, key) is not MISSING for key in keys)


def matches(pattern, value):
    """Whether all of a text matches a regular expression."""
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
    """Whether a number, or a text that is one, is within bounds."""
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
    "hex": r"[0-9a-fA-F]+",
    "base64": r"[A-Za-z0-9+/_-]+={0,2}",
    "uuid1": r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-1[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}",
    "uuid3": r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-3[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}",
    "uuid5": r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-5[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}",
    "uuid6": r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-6[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}",
    "uuid7": r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-7[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}",
    "ulid": r"[0-7][0-9A-HJKMNP-TV-Z]{25}",
    "mac": r"[0-9A-Fa-f]{2}([:-][0-9A-Fa-f]{2}){5}",
    "ipv6": r"[0-9A-Fa-f:]{2,39}(:\d{1,3}(\.\d{1,3}){3})?",
    "semver": r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?",
    "duration": r"P(\d+Y)?(\d+M)?(\d+W)?(\d+D)?(T(\d+H)?(\d+M)?(\d+([.,]\d+)?S)?)?",
    "base64url": r"[A-Za-z0-9_-]+",
    "digits": r"[0-9]+",
}


def is_format(value, name):
    """Whether a text is written as the name says: rfc3339, uuid, hex:32 and so on."""
    if name.startswith("hex:"):
        return matches(r"[0-9a-fA-F]{%s}" % name[4:], value)
    if name == "jwt" and token_parts(value) is None:
        return False
    return matches(FORMATS[name], value)


MONTHS = {name: i + 1 for i, name in enumerate("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split())}
MONTH = "(?P<month>%s)" % "|".join(MONTHS)
CLOCK = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"

# How services write a point in time: ISO 8601 and what is like it, without any separators, as in HTTP, as in C and Unix,
# and a day in words or with dots.
MOMENTS = [
    re.compile(pattern, re.ASCII)
    for pattern in (
        r"(?P<year>\d{4})(?P<mark>[-/.])(?P<month>\d\d)(?P=mark)(?P<day>\d\d)"
        r"([Tt ](?P<hour>\d\d):(?P<minute>\d\d)(:(?P<second>\d\d)([.,](?P<fraction>\d{1,9}))?)?"
        r" ?(?P<zone>[Zz]|UTC|GMT|[+-]\d\d(:?\d\d)?)?)?(\[.*\])?",
        r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)([Tt]?(?P<hour>\d\d)(?P<minute>\d\d)(?P<second>\d\d)Z?)?",
        r"[A-Z][a-z]+, (?P<day>\d\d?)[ -]"
        + MONTH
        + r"[ -](?P<year>\d{4}|\d\d) "
        + CLOCK
        + r"( (?P<zone>GMT|UTC|[+-]\d{4}))?",
        r"[A-Z][a-z]{2} " + MONTH + r" (?P<day>[ \d]\d) " + CLOCK + r" ([A-Z]{3,4} )?(?P<year>\d{4})",
        r"(?P<day>\d\d?)\.? " + MONTH + r"[a-z]* (?P<year>20\d\d)",
        MONTH + r"[a-z]* (?P<day>\d\d?), (?P<year>20\d\d)",
        r"(?P<day>\d\d?)\.(?P<month>\d\d?)\.(?P<year>20\d\d)",
    )
]

# A count since 1970, by its number of digits: what one is worth, in seconds, and where the counting began.
EPOCHS = {5: (86400, 0), 10: (1, 0), 13: (1e-3, 0), 16: (1e-6, 0), 18: (1e-7, 62135596800), 19: (1e-9, 0)}


def moment(value):
    """The time that a value denotes, in seconds since 1970, and its precision in seconds; None if it denotes none.

    A time without a zone is taken for UTC.
    """
    if isinstance(value, str):
        for pattern in MOMENTS:
            found = pattern.fullmatch(value)
            if found:
                return moment_of({name: part for name, part in found.groupdict().items() if part})
        text = value
    elif is_type(value, "number"):
        text = format(Decimal(str(value)), "f")
    else:
        return None
    count = re.fullmatch(r"(\d+)(\.\d{1,9})?", text, re.ASCII)
    if not count or len(count[1]) not in EPOCHS:
        return None
    unit, begin = EPOCHS[len(count[1])]
    return float(text) * unit - begin, unit


def moment_of(parts):
    """The same, from the parts of a text."""
    year, month = int(parts["year"]), parts["month"]
    if len(parts["year"]) == 2:
        year += 1900 if year >= 69 else 2000
    days = datetime.date(year, MONTHS.get(month) or int(month), 1).toordinal() - 719163 + int(parts["day"]) - 1
    seconds = sum(int(parts.get(name, 0)) * worth for name, worth in (("hour", 3600), ("minute", 60), ("second", 1)))
    zone = re.fullmatch(r"([+-])(\d\d):?(\d\d)?", parts.get("zone", ""))
    if zone:
        offset = int(zone[2]) * 3600 + int(zone[3] or 0) * 60
        seconds -= offset if zone[1] == "+" else -offset
    lasts = 1 if "second" in parts else 60 if "minute" in parts else 86400
    return days * 86400 + seconds + float("0." + parts.get("fraction", "0")), lasts


def is_near(value, time, seconds):
    """Whether a value is a time within that many seconds of another, in any notation. A date is the whole day."""
    try:
        begin, lasts = moment(value)
    except (TypeError, ValueError):  # no time, or one that does not exist
        return False
    return begin - seconds <= time <= begin + lasts + seconds


def values_at(res, place):
    """Every value of an answer at a place such as /body/items/*/id or /header/etag."""
    root, slash, rest = place[1:].partition("/")
    if root == "status":
        return [res.status]
    if root == "header":
        lines = res.headers.all(segments("/" + rest)[0])
        return each("\n".join(lines), "".join("/" + s for s in rest.split("/")[1:])) if lines else []
    return each(body_of(res), slash + rest)


def body_of(res):
    """The body of an answer: a JSON value where it says that it is one, or does not say what it is; else its text."""
    kind = res.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in ("", "application/json", "text/json") or kind.endswith("+json"):
        try:
            return res.json()
        except ValueError:
            pass
    return res.text


def answers(status, values=None, never=()):
    """Whether an answer has this status and, at each of these places, this value: for api.send(..., until=...).

    Where it has one of never, which no other value was seen to follow, there is no more to wait for either.
    """

    def has(res, place, value):
        return value in values_at(res, place)

    def told(res):
        return res.status == status and (
            all(has(res, place, value) for place, value in (values or {}).items())
            or any(has(res, place, value) for place, value in never)
        )

    return told


def text_at(res, place):
    """The text of the value at a place of an answer."""
    values = values_at(res, place)
    assert values, f"nothing at {place}"
    return text_of(values[0])


def texts_at(res, place):
    """The texts of all values at a place of an answer."""
    return [text_of(value) for value in values_at(res, place)]


def is_text(res, place, want, suffix=False):
    """Whether the text of the value at a place of an answer is this one, or ends with it."""
    text = text_at(res, place)
    return text.endswith(want) if suffix else text == want


class like:
    """Any value that is as given, in the place of a value to compare with: like("string", format="uuid4")."""

    def __init__(self, type=None, **said):
        self.said = {"type": type, **said} if type else said

    def __eq__(self, value):
        return all(SAYS[what](value, want) for what, want in self.said.items())

    def __repr__(self):
        return "like(" + ", ".join(f"{what}={want!r}" for what, want in self.said.items()) + ")"


def holds(res, place, type=None, optional=False, **said):
    """Assert that every value at a place is as given; unless it is optional, there must be one."""
    __tracebackhide__ = True
    values = values_at(res, place)
    assert values or optional, f"nothing at {place}"
    for value in values:
        for what, want in like(type, **said).said.items():
            assert SAYS[what](value, want), f"{place}: {value!r} does not satisfy {what} {want!r}"


SAYS = {
    "type": lambda value, want: is_type(value, want),
    "text": lambda value, want: text_of(value) == want,
    "ends": lambda value, want: text_of(value).endswith(want),
    "equal": lambda value, want: canonical(value) == canonical(want),
    "one_of": lambda value, want: canonical(value) in map(canonical, want),
    "pattern": lambda value, want: not isinstance(value, str) or matches(want, value),
    "format": lambda value, want: not isinstance(value, str) or is_format(value, want),
    "low": lambda value, want: value is None or between(want, value, "Infinity"),
    "high": lambda value, want: value is None or between("-Infinity", value, want),
    "min_length": lambda value, want: value is None or len(value) >= want,
    "max_length": lambda value, want: value is None or len(value) <= want,
    "near": lambda value, want: value is None or is_near(value, *want),
    "host": lambda value, want: not isinstance(value, str) or want in value,
}


def related(res, kind, place, *of):
    """Whether the value at a place of an answer follows from those at others: "sum", "/body/total", "/body/a", "/body/b".

    What begins with = is no place, but a value: "=17". Within an array this is checked for each element. If a value is
    missing or null, nothing is asserted.
    """
    answer = {"header": {p[8:]: res.headers.get(p[8:], None) for p in (place, *of) if p.startswith("/header/")}}
    if any(p.startswith("/body") for p in (place, *of)):
        answer["body"] = res.json()
    around = elements_of(place)
    rest = [p if p.startswith("=") else p[len(around) :] for p in (place, *of)]
    return all(follows(kind, value, *rest) for value in each(answer, around))


def elements_of(place):
    """The innermost array elements that a place is in, or nothing."""
    return re.match(r"(.*/\*(?=/|$))?", place)[0]


def follows(kind, value, place, *of):
    """The same within one value."""
    own = one(value, place)
    if own is None:
        return True
    try:
        if kind == "count":
            array = one(value, of[0])
            return not isinstance(array, list) or exact(own) == len(array)
        if kind == "total":
            inner = elements_of(of[0])
            if not isinstance(one(value, inner[:-2]), list):
                return True
            factors = [[exact(one(row, p[len(inner) :])) for p in of] for row in each(value, inner)]
            return exact(own) == sum(f[0] * f[-1] if len(f) > 1 else f[0] for f in factors)
        if kind in ("ascending", "descending", "unique"):
            inner = elements_of(of[0])
            rows = [one(row, of[0][len(inner) :]) for row in each(value, inner)]
            if kind == "unique":
                return len(set(map(canonical, rows))) == len(rows)
            return is_sorted(rows if kind == "ascending" else rows[::-1])
        others = [p[1:] if p.startswith("=") else one(value, p) for p in of]
        return None in others or computes(kind, own, *others)
    except ArithmeticError:  # not a number
        return False


def computes(kind, own, *of):
    """Whether a value is what the relation makes of others."""
    if kind == "equal":
        if isinstance(own, str) == isinstance(of[0], str):
            return text_of(own) == text_of(of[0]) or not isinstance(own, (str, bool)) and exact(own) == exact(of[0])
        return exact(own) == exact(of[0])
    if kind == "other":
        return text_of(own) != text_of(of[0])
    if kind == "contains":
        return text_of(of[0]) in text_of(own)
    if kind == "above":
        return exact(own) > exact(of[0])
    if kind == "at-least":
        return is_sorted([of[0], own])
    number, (a, b) = exact(own), map(exact, of)
    if kind == "product":  # money is rounded
        decimals = max(2, -number.as_tuple().exponent)
        return abs(number - a * b) <= Decimal(5).scaleb(-decimals - 1)
    return number == (a + b if kind == "sum" else a - b)


def is_sorted(values):
    """Whether none of some numbers, times or texts comes before the one that it follows."""
    for read in (exact, lambda value: moment(value)[0], str):
        try:
            keys = [read(value) for value in values]
            return all(a <= b for a, b in zip(keys, keys[1:]))
        except (ArithmeticError, TypeError, ValueError):  # not such values
            continue
    return False


def one(value, pointer):
    """The value at the pointer, None if there is none."""
    return next(iter(each(value, pointer)), None)


def exact(value):
    """A number as a decimal, without the rounding error of a service that computes in doubles."""
    number = Decimal(text_of(value))
    if not number.is_finite():
        raise ArithmeticError("not a number")
    _, digits, exponent = number.as_tuple()
    if exponent < 0 and len(digits) > 15:
        number = round(number, 15 - max(0, len(digits) + exponent))
    return number


def has_digest(res, place, kind, of, digits=None):
    """Whether the text at a place of an answer holds the digest of the text at another: "md5", "/body".

    It is there in hex, or the first digits of that, or else in base64. What begins with = is no place, but a text that is
    known: "=tea". /body is the body as it came.
    """
    if of.startswith("="):
        content = of[1:].encode()
    else:
        content = res.body if of == "/body" else text_at(res, of).encode()
    if kind == "crc32":
        digest = zlib.crc32(content).to_bytes(4, "big")
    else:
        digest = hashlib.new(kind, content, usedforsecurity=False).digest()
    text = text_at(res, place)
    if digest.hex()[:digits] in text.lower():
        return True
    return digits is None and base64.b64encode(digest).decode().rstrip("=") in text.translate({45: "+", 95: "/"})


def sha256(body):
    return hashlib.sha256(body).hexdigest()


def take(res, place):
    """The text at a place of an answer, as in /body/id, /header/location/path/1; None if there is none."""
    parts = place.split("/")
    if parts[1] == "body":
        try:
            value = each(res.json(), "".join("/" + p for p in parts[2:]))
        except ValueError:
            return res.text if len(parts) == 2 else None
        return text_of(value[0]) if value and not isinstance(value[0], (dict, list)) else None
    name, rest = parts[2], segments("/" + "/".join(parts[3:])) if parts[3:] else []
    if name == "set-cookie":
        cookie = res.cookies.get(rest[0]) if rest else None
        return urllib.parse.unquote(cookie) if cookie and rest[1:] == ["unescaped"] else cookie
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
    """The values that answers gave and later requests use, by name: of this test, of what tests share, of the recording.

    A recorded value that is a secret is a function: it is asked for when a test needs it.
    """

    def __init__(self, recorded, shared=()):
        super().__init__()
        self.recorded = recorded
        self.taken = set()
        if shared:
            self.update({name: shared[name] for name in shared.taken})
            self.taken |= shared.taken

    def __missing__(self, name):
        """The recorded value, until an answer gives another."""
        value = self.recorded[name]
        return value() if callable(value) else value

    def __repr__(self):
        """Shows names only: pytest prints this with each failure, and values may be credentials."""
        return "Bound(" + ", ".join(sorted(self.recorded)) + ")"

    def given(self, *names):
        """Whether answers gave these values since the tests began."""
        return self.taken.issuperset(names)

    def require(self, *names):
        """Fail where answers did not give these values: a recorded one may name another's thing, which is not to be changed."""
        missing = [name for name in names if name not in self.taken]
        assert not missing, "no answer gave " + ", ".join(missing)

    def take(self, name, res, place):
        """Keep the value that an answer gives; if it gives none, keep the known one."""
        value = take(res, place)
        if value and res.status < 400:
            self[name] = value
            self.taken.add(name)

    def gone(self, name, res):
        """Note that a request took away what a value names, so that no clean-up does so again, if its answer says that."""
        if res.status in (404, 410) or res.status < 300 and res.status != 202:
            self.taken.discard(name)

    def find(self, name, res, place):
        """Like take, but the recorded value is kept while the list still contains it."""
        parts = place.split("/")[2:]
        anywhere = "".join("/" + ("*" if p.isdigit() else p) for p in parts)
        try:
            values = [text_of(v) for v in each(res.json(), anywhere) if not isinstance(v, (dict, list))]
        except ValueError:
            values = []
        known = self.__missing__(name)
        if known in values:
            self[name] = known
            self.taken.add(name)
        else:
            self.take(name, res, place)
