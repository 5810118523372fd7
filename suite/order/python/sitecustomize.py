"""Has any Python that a suite's command starts run the tests of unittest in another order, and then loads what it stands before."""

import importlib.machinery
import importlib.util
import os
import random
import sys
import unittest


class _Turned(unittest.TestSuite):
    def __init__(self, tests=()):
        tests = list(tests)
        seed = int(os.environ["FLAKETAP_ORDER"])
        super().__init__(tests[::-1] if seed == 0 else random.Random(seed).sample(tests, len(tests)))


unittest.TestLoader.suiteClass = _Turned
_here = os.path.dirname(os.path.abspath(__file__))
_spec = importlib.machinery.PathFinder.find_spec(
    "sitecustomize", [path for path in sys.path if os.path.abspath(path) != _here]
)
if _spec is not None and _spec.loader is not None:
    _spec.loader.exec_module(importlib.util.module_from_spec(_spec))
