"""What is volatile in an API's answers, for snapshots of syrupy; written by flaketap map --format syrupy.

    from volatile import volatile

    def test_order(snapshot):
        v = volatile["GET /orders/{id} 200"]
        assert response.json() == snapshot(**v["body"])
        assert lower(response.headers) == snapshot(**v["headers"])

What moves is in the snapshot by what holds of it; a value of which that does not hold is there as it is, so that the
snapshot differs. What is not always there is left out.
"""
import re

from syrupy.extensions.amber.serializer import Repr
from syrupy.matchers import compose_matchers, path_type, path_value


def lower(headers):
    """Returns headers as a dict, with their names in lower case."""
    return {name.lower(): value for name, value in headers.items()}


def _typed(word, types, *paths):
    def replace(data, _):
        return data if isinstance(data, bool) and bool not in types and object not in types else Repr(word)

    return path_type({path: types for path in paths}, regex=True, replacer=replace)


def _number(word, paths, integer=False, low=None, high=None, null=False):
    def replace(data, _):
        if data is None:
            return Repr(word)
        good = not isinstance(data, bool) and (not integer or data % 1 == 0)
        good = good and (low is None or data >= low) and (high is None or data <= high)
        return Repr(word) if good else data

    types = (int, float, type(None)) if null else (int, float)
    return path_type({path: types for path in paths}, regex=True, replacer=replace)


def _matching(pattern, paths, null=False):
    def replace(data, match):
        return Repr("text that matches " + pattern) if match or data is None else data

    types = (str, type(None)) if null else (str,)
    return path_value({path: pattern for path in paths}, types=types, regex=True, replacer=replace)


def _one_of(values, paths, null=False):
    def replace(data, _):
        known = data is None and null or any(type(v) is type(data) and v == data for v in values)
        return Repr("one of " + repr(values)) if known else data

    return path_type({path: (object,) for path in paths}, regex=True, replacer=replace)


def _without(*paths):
    def absent(*, prop, path):
        where = ".".join(str(p) for p, _ in (*path, (prop, None)))
        return any(re.fullmatch(p, where) for p in paths)

    return absent


def _snapshot(*matchers, without=()):
    out = {"matcher": compose_matchers(*matchers)} if matchers else {}
    if without:
        out["exclude"] = _without(*without)
    return out


# By operation and status: the arguments of a snapshot of the headers, by names in lower case, and of the body.
volatile = {}
