"""A plugin of pytest that runs the tests in a random order, and says which: SHUFFLED=SEED brings it back."""

import os
import random

SEED = os.environ.get("SHUFFLED") or str(random.randrange(2**32))


def pytest_report_header():
    return f"shuffled by seed {SEED}"


def pytest_collection_modifyitems(items):
    random.Random(SEED).shuffle(items)
