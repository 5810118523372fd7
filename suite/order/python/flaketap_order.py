"""Runs the tests of a suite in another order than they are written in: FLAKETAP_ORDER is 0 for backwards, or a seed."""

import os
import random

import pytest

# What a suite asks for by itself stays.
_asked = ("order", "run", "dependency", "depends")


def _turned(things, seed):
    if seed == 0:
        return things[::-1]
    return random.Random(seed).sample(things, len(things))


def turn(items, parents, seed):
    """The items in another order, those with the same parents together."""
    groups = {}
    for item in items:
        groups.setdefault(parents(item)[0] if parents(item) else item, []).append(item)
    out = []
    for key in _turned(list(groups), seed):
        within = groups[key]
        if len(within) > 1:
            within = turn(within, lambda item: parents(item)[1:], seed)
        out += within
    return out


def _parents(item):
    """The file and the classes of a test, the outermost first."""
    return [node for node in item.listchain()[:-1] if isinstance(node, (pytest.Module, pytest.Class))]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items):
    if any(item.get_closest_marker(name) for item in items for name in _asked):
        return
    items[:] = turn(items, _parents, int(os.environ["FLAKETAP_ORDER"]))
