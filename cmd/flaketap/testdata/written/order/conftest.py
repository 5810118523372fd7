"""The tests run in the order in which they are written, or with BACKWARDS the other way round."""

import os


def pytest_collection_modifyitems(items):
    if os.environ.get("BACKWARDS"):
        items.reverse()
