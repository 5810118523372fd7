"""Loads flaketap's hooks into any Python that an API's command starts, and then what it stands before."""

import importlib.machinery
import importlib.util
import os
import sys

import flaketap_hooks

flaketap_hooks.install()
_here = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [path for path in sys.path if os.path.abspath(path) != _here]
_spec = importlib.machinery.PathFinder.find_spec("sitecustomize", sys.path)
if _spec is not None and _spec.loader is not None:
    _spec.loader.exec_module(importlib.util.module_from_spec(_spec))
