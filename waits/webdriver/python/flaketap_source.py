"""Has each command that selenium sends name the place in the suite that it comes from."""

import functools
import importlib.abc
import importlib.machinery
import os
import sys
import sysconfig
from urllib.parse import quote

_MODULE = "selenium.webdriver.remote.remote_connection"
_LIBRARIES = tuple({os.path.realpath(sysconfig.get_path(name)) + os.sep for name in ("stdlib", "purelib", "platlib")})


def name_sources():
    """Has selenium's connection changed once it is imported."""
    sys.meta_path.insert(0, _Finder())


class _Finder(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name != _MODULE:
            return None
        sys.meta_path.remove(self)
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (run(module), _change(module))[0]
        return spec


def _change(module):
    connection = module.RemoteConnection
    execute = connection._request

    def _request(self, *args, **kwargs):
        headers = self.get_remote_connection_headers
        at = _places(self)
        self.get_remote_connection_headers = lambda *a, **k: {**headers(*a, **k), "flaketap-source": quote(at)}
        try:
            return execute(self, *args, **kwargs)
        finally:
            del self.get_remote_connection_headers

    connection._request = _request


def _places(connection):
    """The calls that stand in no library, the nearest first, each in a line: file:line:column, the file from the
    working folder, and, behind a tab, by what name the driver is known there."""
    places = []
    frame = sys._getframe(1)
    while frame is not None and len(places) <= 20:
        file = _own(frame.f_code.co_filename)
        if file:
            column = 0
            if hasattr(frame.f_code, "co_positions"):  # Python 3.11
                column = _column(frame)
            place = f"{os.path.relpath(file)}:{frame.f_lineno}:{column}".replace(os.sep, "/")
            places.append(f"{place}\t{_driver(frame, connection)}".strip())
        frame = frame.f_back
    return "\n".join(places)


@functools.lru_cache(maxsize=1024)  # each command looks at the same files, most of them of libraries
def _own(name):
    """The file of code, by the name that the code has for it; "" where it is a library's, or none, as "<string>" is."""
    file = os.path.realpath(name)
    library = file.startswith(_LIBRARIES) or f"{os.sep}selenium{os.sep}" in file or file == os.path.realpath(__file__)
    return "" if library or name.startswith("<") else file


def _driver(frame, connection):
    """By what name a function knows the driver of a connection, itself or of an object; "" where it does not."""
    local = [(name, frame.f_locals[name]) for name in frame.f_code.co_varnames if name in frame.f_locals]
    for name, value in local:
        if _members(value).get("command_executor") is connection:
            return name
    for name, value in local:
        for member, of in _members(value).items():
            if _members(of).get("command_executor") is connection and str(member).isidentifier():
                return f"{name}.{member}"
    return ""


def _members(value):
    """What an object holds, without a call of anything of its own."""
    try:
        members = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return members if type(members) is dict else {}


def _column(frame):
    for at, position in enumerate(frame.f_code.co_positions()):
        if at * 2 == frame.f_lasti and position[2] is not None:
            return position[2] + 1
    return 0
