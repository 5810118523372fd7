"""What is volatile in an API's answers, for Schemathesis; written by flaketap map --format schemathesis.

    SCHEMATHESIS_HOOKS=flaketap_hooks schemathesis run http://127.0.0.1:8080/openapi.json

The check answers_alike sends each GET that was answered once more, and compares the two answers but for what is volatile.
strip() is for checks of your own.
"""
import copy
import re
from urllib.parse import urlsplit

import requests
import schemathesis

EACH = None  # every element of an array, or every member of an object

# Headers that HTTP itself moves.
PROTOCOL = set()

# Method, path, status, whether the status itself moves, volatile headers, and the ways to volatile places of the body.
VOLATILE = []


def volatile(method, path, status):
    """Returns whether the status moves, the volatile headers and the volatile places of the body of an answer."""
    for wanted, template, code, moves, headers, places in VOLATILE:
        if wanted == method.upper() and code == status and re.fullmatch(template, path):
            return moves, headers, places
    return False, [], []


def _cut(value, way):
    if isinstance(value, dict):
        keys = list(value) if way[0] is EACH else [way[0]] if way[0] in value else []
    elif isinstance(value, list) and way[0] is EACH:
        keys = range(len(value))
    else:
        return
    for key in keys:
        if len(way) > 1:
            _cut(value[key], way[1:])
        elif isinstance(value, dict):
            del value[key]
        else:
            value[key] = None


def strip(method, path, status, headers, body):
    """Returns the headers, by their names in lower case, and the parsed body without what is volatile."""
    _, names, places = volatile(method, path, status)
    headers = {k.lower(): v for k, v in headers.items() if k.lower() not in names and k.lower() not in PROTOCOL}
    if () in places:
        return headers, None
    body = copy.deepcopy(body)
    for way in places:
        _cut(body, way)
    return headers, body


def _stripped(response):
    path = urlsplit(response.request.url).path
    try:
        body = response.json()
    except ValueError:
        body = response.content
    return strip(response.request.method, path, response.status_code, response.headers, body)


@schemathesis.check
def answers_alike(ctx, response, case):
    """The same GET, sent again, is answered alike but for what is volatile."""
    request = response.request
    if request.method != "GET":
        return
    with requests.Session() as session:
        again = session.send(request.copy(), timeout=30, allow_redirects=False)
    path = urlsplit(request.url).path
    moves, _, _ = volatile(request.method, path, response.status_code)
    if again.status_code != response.status_code:
        assert moves, f"{request.method} {path}: {response.status_code}, then {again.status_code}"
        return
    first, second = _stripped(response), _stripped(again)
    for name in sorted(first[0].keys() & second[0].keys()):
        one, other = first[0][name], second[0][name]
        one = ", ".join(one) if isinstance(one, list) else one
        assert one == other, f"{request.method} {path}: header {name} was {one!r}, then {other!r}"
    assert first[1] == second[1], f"{request.method} {path}: the body is another"
