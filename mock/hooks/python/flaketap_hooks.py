"""Tells flaketap which fields an API reads of what its services answer, and which texts it compares them with.

Only texts of JSON that bear a mark are looked at: sixteen blanks and tabs behind the first bracket, which are the number
of the call.
"""

import collections
import enum
import functools
import json
import os
import re
import sys
import types
import typing

_MOST_READS = 500  # of one answer
_MOST_OBJECTS = 5000
_MOST_DEPTH = 32
_MOST_TEXT = 100
_MARKED = re.compile(r"\s*[\[{]([ \t]{16})")

_file = os.environ.get("FLAKETAP_READS")
_dumps, _loads = json.dumps, json.loads
_recent = collections.deque(maxlen=64)  # objects of answers
_written = collections.OrderedDict()  # the texts of objects that were written as JSON, with the objects
_MOST_WRITTEN = 64
_MOST_LENGTH = 100_000


class _Answer:
    """One answer: its mark, and what was told of it."""

    def __init__(self, mark):
        self.mark = mark
        self.told = set()
        self.objects = 0

    def tell(self, path, kind=None, value=None):
        line = _dumps({"mark": self.mark, "path": path, "kind": kind, "value": value})
        if line in self.told or len(self.told) >= _MOST_READS:
            return
        self.told.add(line)
        try:  # it is not kept open: a process that becomes a daemon closes what it does not know
            fd = os.open(_file, os.O_WRONLY | os.O_APPEND)
            try:
                os.write(fd, line.encode() + b"\n")
            finally:
                os.close(fd)
        except OSError:
            pass  # whom it is told to has gone

    def watch(self, value, path):
        """The value with what tells the reads of its objects, and the comparisons of its texts, in their place."""
        if self.objects >= _MOST_OBJECTS or len(path) > _MOST_DEPTH:
            return value
        if type(value) is dict:
            self.objects += 1
            out = dict.__new__(Object)
            out.update((name, self.watch(one, [*path, name])) for name, one in value.items())
            out._answer, out._path = self, path
            _recent.append(out)
            return out
        if type(value) is list:
            value[:] = [self.watch(one, [*path, 0]) for one in value]
        if type(value) is str:
            self.objects += 1
            return _text(value, self, path)
        return value


class Object(dict):
    """An object of an answer."""

    __slots__ = ("_answer", "_path")

    def __new__(cls, *args, **named):  # what type(answer)(…) makes is of no answer
        return dict(*args, **named)

    def _read(self, name):
        if type(name) in (int, slice):
            self._answer.tell(self._path, "list")
        elif type(name) is str and len(name) <= _MOST_TEXT:
            self._answer.tell([*self._path, name])

    def __getattr__(self, name):  # of what a dict has not
        kinds = [kind.__name__ for kind in (list, str) if hasattr(kind, name)]
        if len(kinds) == 1:
            self._answer.tell(self._path, {"list": "list", "str": "string"}[kinds[0]])
        return dict.__getattribute__(self, name)

    def __getitem__(self, name):
        self._read(name)
        return dict.__getitem__(self, name)

    def __contains__(self, name):
        self._read(name)
        return dict.__contains__(self, name)

    def get(self, name, default=None):
        self._read(name)
        return dict.get(self, name, default)

    def pop(self, name, *default):
        self._read(name)
        return dict.pop(self, name, *default)

    def setdefault(self, name, default=None):
        self._read(name)
        return dict.setdefault(self, name, default)

    def __reduce_ex__(self, protocol):
        return dict, (dict(self),)


class Text(str):
    """A text of an answer."""

    __slots__ = ("_answer", "_path")

    def __new__(cls, *args, **named):
        return str(*args, **named)

    def _compared(self, other):
        if type(other) is str and len(other) <= _MOST_TEXT:
            self._answer.tell(self._path, "string", other)

    def __eq__(self, other):
        self._compared(other)
        return str.__eq__(self, other)

    def __ne__(self, other):
        self._compared(other)
        return str.__ne__(self, other)

    __hash__ = str.__hash__

    def __reduce_ex__(self, protocol):
        return str, (str(self),)


def _text(value, answer, path):
    out = str.__new__(Text, value)
    out._answer, out._path = answer, path
    return out


_TEXTS = ("capitalize", "casefold", "encode", "endswith", "isalnum", "isalpha", "isdigit", "lower", "lstrip", "partition", "removeprefix",
    "removesuffix", "replace", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper", "zfill")
_CLEANED = ("casefold", "lower", "lstrip", "rstrip", "strip", "upper")  # what comes of these is compared as the text is


def _texted(name):
    original = getattr(str, name)

    @functools.wraps(original)
    def method(self, *args, **options):
        self._answer.tell(self._path, "string")
        value = original(self, *args, **options)
        return _text(value, self._answer, self._path) if name in _CLEANED else value

    return method


def _reckoned(name, base):
    """What a text or an object does where it is reckoned with, as numbers are: to that it is no number."""
    original = getattr(base, name, None)

    def method(self, other):
        if type(other) in (int, float):
            self._answer.tell(self._path, "number")
        return NotImplemented if original is None else original(self, other)

    method.__name__ = name
    return method


for _name in _TEXTS:
    if hasattr(str, _name):
        setattr(Text, _name, _texted(_name))
for _name in ("lt", "le", "gt", "ge", "add", "radd", "sub", "rsub", "truediv", "rtruediv", "floordiv", "rfloordiv"):
    setattr(Object, f"__{_name}__", _reckoned(f"__{_name}__", dict))
    setattr(Text, f"__{_name}__", _reckoned(f"__{_name}__", str))
for _kind in (Object, Text):  # as errors name them
    _kind.__name__ = _kind.__qualname__ = _kind.__base__.__name__
    _kind.__module__ = "builtins"


def _mark(text):
    """The mark of a text of JSON; None where it bears none."""
    if isinstance(text, (bytes, bytearray)):
        text = bytes(text[:64]).decode("latin-1")
    found = _MARKED.match(text) if isinstance(text, str) else None
    return int(found[1].replace(" ", "0").replace("\t", "1"), 2) if found else None


def _watching(loads):
    """A function that reads JSON, whose results tell what is read of them."""

    @functools.wraps(loads)
    def watched(*args, **options):
        value = loads(*args, **options)
        text = args[0] if args else options["s"]
        mark = _mark(text)
        if mark is None:
            before = _written.pop(text, None) if type(text) is str and type(value) is dict else None
            return value if before is None else before._answer.watch(value, before._path)
        answer = _Answer(mark)
        answer.tell([])  # it was read as a whole
        return answer.watch(value, [])

    return watched


def _remembering(dumps):
    """A function that writes JSON, which remembers the text of an object of an answer: what is read of it again is of
    that object."""

    @functools.wraps(dumps)
    def remembered(*args, **options):
        text = dumps(*args, **options)
        if args and isinstance(args[0], Object) and len(text) <= _MOST_LENGTH:
            _written[text] = args[0]
            while len(_written) > _MOST_WRITTEN:
                try:
                    _written.popitem(last=False)
                except KeyError:  # another thread took it
                    break
        return text

    return remembered


_KINDS = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object"}
_UNIONS = (typing.Union, getattr(types, "UnionType", typing.Union))


def _describe(kind, answer, path):
    """Tells what a type of pydantic wants at a path: its kind, its values, and its fields."""
    if len(path) > 8 or len(answer.told) >= _MOST_READS:
        return
    origin, args = typing.get_origin(kind), [one for one in typing.get_args(kind) if one is not type(None)]
    if origin is typing.Annotated or origin in _UNIONS and len(args) == 1:
        _describe(args[0], answer, path)
        return
    base = origin if isinstance(origin, type) else kind
    if origin is typing.Literal:
        _allow(args, answer, path)
    elif not isinstance(base, type) or origin in _UNIONS:
        answer.tell(path)
    elif issubclass(base, enum.Enum):
        _allow([one.value for one in base], answer, path)
    elif isinstance(getattr(base, "model_fields", None), dict):
        answer.tell(path, "object")
        for name, field in base.model_fields.items():
            for at in _places(field.validation_alias or field.alias or name):
                _describe(field.annotation, answer, [*path, *at])
    elif hasattr(base, "__dataclass_fields__") or issubclass(base, dict) and hasattr(base, "__total__"):  # or a TypedDict
        answer.tell(path, "object")
        hints = _hints(base)
        for name in _given(base) if hasattr(base, "__dataclass_fields__") else hints:
            _describe(hints.get(name), answer, [*path, name])
    elif issubclass(base, (list, set, frozenset, tuple, collections.abc.Sequence)) and not issubclass(base, (str, bytes)):
        answer.tell(path, "list")
        if args:
            _describe(args[0], answer, [*path, 0])
    else:
        answer.tell(path, _KINDS.get(base))


def _hints(kind):
    """The types of fields, by their names; none where one of them is not there but for type checkers."""
    try:
        return typing.get_type_hints(kind)
    except Exception:
        return {}


def _given(kind):
    """The names of the fields of a dataclass that its objects are made of."""
    return [name for name, field in kind.__dataclass_fields__.items() if field.init and field._field_type.name != "_FIELD_CLASSVAR"]


def _places(alias):
    """The places of a field by its name, or by what pydantic has for names: an AliasPath, or AliasChoices."""
    if isinstance(alias, str):
        return [[alias]]
    if hasattr(alias, "choices"):
        return [at for one in alias.choices for at in _places(one)]
    return [[0 if isinstance(one, int) else one for one in getattr(alias, "path", [])]]


def _allow(values, answer, path):
    for value in values:
        if type(value) in (str, int, float):
            answer.tell(path, "string" if type(value) is str else "number", value)


def _describe_for(kind, value):
    """Tells what a type wants of a value that is of an answer: an object of it, or its text."""
    try:
        if isinstance(value, Object):
            _describe(kind, value._answer, value._path)
        elif isinstance(value, list) and value and isinstance(value[0], Object) and value[0]._path[-1:] == [0]:
            _describe(kind, value[0]._answer, value[0]._path[:-1])
        elif _mark(value) is not None:
            _describe(kind, _Answer(_mark(value)), [])
    except Exception:  # of a pydantic that is otherwise
        pass


def _unpacked(data):
    """The object of an answer that was given as arguments."""
    for one in reversed(list(_recent)):
        if len(one) == len(data) and all(name in data and data[name] is value for name, value in list(one.items())):
            return one
    return None


def _hook_models(module):
    model = module.BaseModel
    original = model.__init__

    @functools.wraps(original)  # which has what tells pydantic that it is its own
    def __init__(self, /, **data):
        _describe_for(type(self), _unpacked(data))
        original(self, **data)

    model.__init__ = __init__
    for name in ("model_validate", "model_validate_json"):
        setattr(model, name, classmethod(_described(getattr(model, name).__func__, lambda kind: kind)))


def _hook_dataclasses(module):
    make = module._process_class

    @functools.wraps(make)
    def _process_class(cls, *args, **options):
        made = make(cls, *args, **options)
        original = made.__dict__.get("__init__")
        wanted = any(one.init and one.default is one.default_factory for one in made.__dataclass_fields__.values())  # both are missing
        if original is not None:

            @functools.wraps(original)
            def __init__(self, /, *args, **data):
                if not args and (data or wanted):
                    _describe_for(type(self), _unpacked(data))
                original(self, *args, **data)

            made.__init__ = __init__
        return made

    module._process_class = _process_class


def _hook_adapters(module):
    for name in ("validate_python", "validate_json"):
        original = getattr(module.TypeAdapter, name)
        setattr(module.TypeAdapter, name, _described(original, lambda adapter: getattr(adapter, "_type", None)))


def _described(original, kind):
    @functools.wraps(original)
    def wrapped(owner, *args, **options):
        for value in [*args[:1], *(options[name] for name in ("obj", "json_data") if name in options)]:
            _describe_for(kind(owner), value)
        return original(owner, *args, **options)

    return wrapped


def _hook_orjson(module):
    module.loads = _watching(module.loads)


def _hook_yaml(module):
    for kind, name in ((Object, "represent_dict"), (Text, "represent_str")):
        module.SafeRepresenter.add_representer(kind, getattr(module.SafeRepresenter, name))
        module.Representer.add_representer(kind, getattr(module.SafeRepresenter, name))


_MODULES = {
    "dataclasses": _hook_dataclasses,
    "pydantic.main": _hook_models,
    "pydantic.type_adapter": _hook_adapters,
    "orjson": _hook_orjson,
    "yaml.representer": _hook_yaml,
}


def _change(hook, module):
    try:
        hook(module)
    except Exception:  # of a version that is otherwise
        pass


class _Finder:
    """Changes a few modules once they are imported."""

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        hook = _MODULES.pop(name, None)
        if hook is None:
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not cls and hasattr(finder, "find_spec") else None
            if spec is not None:
                cls._after(spec.loader, name, hook)
                return spec
        return None

    @staticmethod
    def _after(loader, name, hook):
        run = loader.exec_module

        def exec_module(module):
            run(module)
            if module.__name__ == name:
                _change(hook, module)

        loader.exec_module = exec_module


def install():
    if _file:
        json.loads, json.dumps = _watching(json.loads), _remembering(json.dumps)
        for name in [name for name in _MODULES if name in sys.modules]:
            _change(_MODULES.pop(name), sys.modules[name])
        sys.meta_path.insert(0, _Finder)
