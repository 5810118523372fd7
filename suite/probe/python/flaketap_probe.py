"""Mutes the assertions of a suite for one run: each is evaluated, and one that fails ends its test at the end only.

It is given the folder of a copy of the suite, and touches no other module. Muted are assertions that a test comes to,
in its own function or in functions of the suite that it calls. Those that something waits for stay live: under a try
with handlers, pytest.raises and the like, in decorated helpers, in functions that a library calls, in fixtures, and
wherever no test runs. PYTEST_DONT_REWRITE
"""

import ast
import functools
import importlib.machinery
import json
import os
import sys
import threading
import time
import unittest

_suite = os.path.realpath(os.environ.get("FLAKETAP_PROBE_SUITE") or os.sep) + os.sep
_log = os.environ.get("FLAKETAP_PROBE_LOG")
_state = threading.local()
_runtime = "@flaketap"  # no name of a suite's own


def _note(**what):
    """Adds a line to the log, which several processes may write."""
    if _log:
        line = (json.dumps(what) + "\n").encode()
        out = os.open(_log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        try:
            os.write(out, line)
        finally:
            os.close(out)


def _ours(path):
    return bool(path) and os.path.realpath(path).startswith(_suite)


_ours_cached = functools.lru_cache(maxsize=None)(_ours)


_most = 1000  # characters of a text, and failures of a test


def _text(value):
    """A value as JSON, or as Python shows it."""
    try:
        text = json.dumps(value)
    except Exception:
        try:
            text = repr(value)
        except Exception:
            return ""
    return text[:_most]


def _note_failure(test, error, at, compared):
    """Notes an assertion that failed, the lines of the suite that lead to it, innermost first, and what it compared."""
    test.failures += 1
    if not at or test.failures > _most:
        return
    what = {}
    if compared is not None:
        what = {"saw": _text(compared[0]), "expected": _text(compared[1])}
    said = str(error)
    if not isinstance(error, AssertionError):
        said = f"{type(error).__name__}: {said}"
    where = [{"file": os.path.relpath(os.path.realpath(file), _suite), "line": line} for file, line in at]
    _note(failed=test.name, time=time.time(), at=where, message=said[:_most], **what)


def _compared(error, frame):
    """The two values that an assertion compared: as pytest tells it, by the names that the operands have, or as a
    method of unittest's was given them. None where they are not to be had."""
    told, _state.compared = getattr(_state, "compared", None), None
    if not isinstance(error, AssertionError):
        return None
    if told is not None:
        return told
    trace = error.__traceback__
    while trace is not None and trace.tb_frame.f_code is frame.f_code:
        trace = trace.tb_next
    if trace is None:
        names = frame.f_locals
        return (names[_left], names[_right]) if _left in names and _right in names else None
    names = trace.tb_frame.f_locals
    for pair in (("first", "second"), ("member", "container"), ("expr1", "expr2"), ("text", "expected_regex")):
        if all(name in names for name in pair):
            return tuple(names[name] for name in pair)
    return None


_left, _right = "@left", "@right"  # no names of a suite's own


class muted_test:
    """A test whose assertions are muted while it runs. It fails in the end as it would have: with the first failure."""

    def __init__(self, name):
        self.name = name

    def __enter__(self):
        self.outer = getattr(_state, "test", None)
        if self.outer is None:
            self.first, self.live, self.failures, self.raised = None, 0, 0, (None, None)
            self.frame = sys._getframe(1)
            _state.test, _state.compared = self, None
            _note(test=self.name, time=time.time())

    def __exit__(self, kind, error, trace):
        __tracebackhide__ = True
        if self.outer is not None:
            return False
        first, frame = self.first, self.frame
        _state.test = self.first = self.frame = None
        at = []  # the lines of the suite that an error passed
        while trace is not None:
            if _ours_cached(trace.tb_frame.f_code.co_filename):
                at.insert(0, (trace.tb_frame.f_code.co_filename, trace.tb_lineno))
            trace = trace.tb_next
        if isinstance(error, AssertionError) or kind is not None and kind.__name__ == "Failed":  # pytest.fail
            stayed_live, compared = self.raised
            _note_failure(self, error, at, compared if stayed_live is error else None)
        self.raised = None
        if first is None or kind is not None and issubclass(kind, (KeyboardInterrupt, SystemExit, GeneratorExit)):
            return False
        if at:
            file, line = at[0]
            _note(ended=self.name, file=os.path.relpath(os.path.realpath(file), _suite), line=line)
        del frame
        raise first from None


class live_part:
    """A part of a test in which assertions raise, since something waits for that."""

    def __enter__(self):
        self.test = getattr(_state, "test", None)
        if self.test is not None:
            self.test.live += 1

    def __exit__(self, kind, error, trace):
        if self.test is not None:
            self.test.live -= 1
            self.test = None
        return False


def raises(error):
    """Tells whether a failed assertion raises, and keeps it for the end of its test where not."""
    test = getattr(_state, "test", None)
    if test is None or isinstance(error, unittest.SkipTest):
        return True
    frame = sys._getframe(1)
    compared = _compared(error, frame)
    test.raised = error, compared
    if test.live:
        return True
    at = []
    while frame is not None:
        if not _ours_cached(frame.f_code.co_filename):
            return True  # a library called back, and may wait for it
        at.append((frame.f_code.co_filename, frame.f_lineno))
        if frame is test.frame:
            break
        frame = frame.f_back
    if frame is None:
        return True
    test.raised = None, None
    _note_failure(test, error, at, compared)
    if test.first is None:
        test.first = error
    return False


_waits = ("raise", "warn", "suppress", "retry", "attempt", "assert", "eventually", "poll", "wait")
_harmless = ("pytest", "mark", "unittest", "skip", "staticmethod", "classmethod", "property", "parametrize", "patch",
             "mock", "timeout", "timeout_decorator", "responses", "freeze_time")


def _words(node):
    """The names that a call or a decorator is made of: a.b(c).d is a, b, d."""
    out = []
    while True:
        if isinstance(node, (ast.Call, ast.Await)):
            node = node.func if isinstance(node, ast.Call) else node.value
        elif isinstance(node, ast.Attribute):
            out.insert(0, node.attr)
            node = node.value
        elif isinstance(node, ast.Name):
            return [node.id] + out
        else:
            return out


def _asserts(node):
    """Tells whether an expression is an assertion, as self.assertEqual(a, b) is."""
    if not isinstance(node, (ast.Call, ast.Await)):
        return False
    words = _words(node)
    named = [w for w in words if w.lower().lstrip("_").startswith("assert")]
    return bool(named) and not any(part in w for w in named for part in ("Raises", "Warns", "Logs", "raises", "warns"))


def _waited_for(item):
    """Tells whether a context manager may wait for a failure."""
    expr = item.context_expr
    words = _words(expr)
    return not isinstance(expr, (ast.Call, ast.Await)) or any(
        part in word.lower() for word in words[-2:] for part in _waits)


def _known(decorator):
    words = _words(decorator)
    return bool(words) and any(w.lower().startswith(_harmless) for w in (words[0], words[-1]))


def _fixture(decorator):
    return _words(decorator)[-1:] == ["fixture"]


class _Muter(ast.NodeTransformer):
    """Mutes the assertions of a module."""

    def __init__(self):
        self.within = []  # the names of classes and functions around a node
        self.functions = 0  # how many of them are functions

    def visit_ClassDef(self, node):
        self.within.append(node.name)
        self.generic_visit(node)
        self.within.pop()
        return node

    def visit_FunctionDef(self, node):
        if any(_fixture(d) for d in node.decorator_list):
            return node
        self.within.append(node.name)
        self.functions += 1
        self.generic_visit(node)
        name, own = ".".join(self.within), self.functions == 1
        self.functions -= 1
        self.within.pop()
        yields = any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in _own(node))
        is_test = own and node.name.startswith("test") and not yields
        parts = []
        if not all(_known(d) for d in node.decorator_list):
            parts.append(_call("live_part"))
        elif is_test:
            parts.append(_call("muted_test", name))
        if parts:
            first = 1 if ast.get_docstring(node, clean=False) is not None else 0
            if node.body[first:]:
                node.body[first:] = [_with(parts[0], node.body[first:])]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Assert(self, node):
        return self._muted(node) if self.functions else node

    def visit_Expr(self, node):
        return self._muted(node) if self.functions and _asserts(node.value) else node

    def visit_Try(self, node):
        self.generic_visit(node)
        if node.handlers and self.functions:
            node.body = [_with(_call("live_part"), node.body)]
        return node

    visit_TryStar = visit_Try

    def visit_With(self, node):
        self.generic_visit(node)
        if self.functions and any(_waited_for(item) for item in node.items):
            node.body = [_with(_call("live_part"), node.body)]
        return node

    visit_AsyncWith = visit_With

    def _muted(self, node):
        name = "@failed"
        ask = ast.Call(func=_of_runtime("raises"), args=[ast.Name(id=name, ctx=ast.Load())], keywords=[])
        handler = ast.ExceptHandler(type=_of_runtime("Exception"), name=name,
                                    body=[ast.If(test=ask, body=[ast.Raise(exc=None, cause=None)], orelse=[])])
        out = ast.Try(body=[node], handlers=[handler], orelse=[], finalbody=[])
        return ast.fix_missing_locations(ast.copy_location(out, node))


def _own(function):
    """The nodes of a function without those of functions in it."""
    todo = list(function.body)
    while todo:
        node = todo.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)):
            todo.extend(ast.iter_child_nodes(node))


def _of_runtime(name):
    return ast.Attribute(value=ast.Name(id=_runtime, ctx=ast.Load()), attr=name, ctx=ast.Load())


def _call(name, *args):
    return ast.Call(func=_of_runtime(name), args=[ast.Constant(value=a) for a in args], keywords=[])


def _with(manager, body):
    out = ast.With(items=[ast.withitem(context_expr=manager, optional_vars=None)], body=body, type_comment=None)
    return ast.fix_missing_locations(ast.copy_location(out, body[0]))


Exception = Exception  # a suite may have another of that name


def mute(tree):
    """Mutes the assertions of a module in place."""
    tree = _Muter().visit(tree)
    first = 1 if ast.get_docstring(tree, clean=False) is not None else 0
    while first < len(tree.body) and getattr(tree.body[first], "module", "") == "__future__":
        first += 1
    load = ast.Import(names=[ast.alias(name=__name__, asname=_runtime)])
    load.lineno, load.col_offset = 1, 0
    tree.body.insert(first, ast.fix_missing_locations(load))
    return tree


class _Namer(ast.NodeTransformer):
    """Gives the operands of a comparison names, so that their values can be told where it fails."""

    def visit_Assert(self, node):
        test = node.test
        if isinstance(test, ast.Compare) and len(test.ops) == 1:
            test.left, test.comparators = _named(_left, test.left), [_named(_right, test.comparators[0])]
            ast.fix_missing_locations(node)
        return node

    def visit_ClassDef(self, node):
        node.body = [self.visit(n) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef)) else n for n in node.body]
        return node


def _named(name, value):
    return ast.copy_location(ast.NamedExpr(target=ast.Name(id=name, ctx=ast.Store()), value=value), value)


def _wanted(path):
    return isinstance(path, str) and os.path.basename(path) != "conftest.py" and _ours(path)


def mute_imports():
    """Has modules of the suite muted where Python itself imports them."""
    loader = importlib.machinery.SourceFileLoader
    compiled = loader.source_to_code

    def source_to_code(self, data, path, **more):
        if not isinstance(data, (bytes, str)) or not _wanted(path):
            return compiled(self, data, path, **more)
        return compiled(self, mute(_Namer().visit(ast.parse(data, filename=path))), path, **more)

    loader.source_to_code = source_to_code


def pytest_addoption(parser):
    """Has modules of the suite muted where pytest imports them, with the messages that it gives to assertions."""
    from _pytest.assertion import rewrite

    written = rewrite.rewrite_asserts

    def rewrite_asserts(mod, source, module_path=None, config=None):
        if _wanted(module_path):
            mute(mod)
        return written(mod, source, module_path, config)

    rewrite.rewrite_asserts = rewrite_asserts


def pytest_assertrepr_compare(config, op, left, right):
    """Keeps what an assertion compared that fails now, and leaves to pytest what is said of it."""
    _state.compared = (left, right)
