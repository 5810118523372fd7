"""Loads what names the sources of commands into any Python that a suite starts, and then what it stands before."""

import importlib.machinery
import importlib.util
import os
import sys

import flaketap_source

flaketap_source.name_sources()
_here = os.path.dirname(os.path.abspath(__file__))
_spec = importlib.machinery.PathFinder.find_spec(
    "sitecustomize", [path for path in sys.path if os.path.abspath(path) != _here]
)
if _spec is not None and _spec.loader is not None:
    _spec.loader.exec_module(importlib.util.module_from_spec(_spec))
