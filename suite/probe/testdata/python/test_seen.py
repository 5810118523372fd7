"""Assertions that fail in each way."""

import functools
import unittest

import helper


class TestSeen(unittest.TestCase):
    """All of them."""

    def test_loop(self):
        """A loop."""
        for got, want in ((1, 1), (2, 1), ("two", 2)):
            assert got == want

    def test_helper(self):
        helper.same({"id": 7}, {"id": 8})

    def test_methods(self):
        self.assertEqual(3.5, 4)
        self.assertIn("x", ["y"])
        assert {}["gone"] == 1

    def test_live(self):
        """What waits says nothing, what ends the test does."""
        try:
            assert 1 == 2
        except AssertionError:
            pass
        functools.reduce(helper.callback, ["live", "dead"])
