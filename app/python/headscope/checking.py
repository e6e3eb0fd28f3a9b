"""Whether a public function was given what its annotations say; anything else raises `headscope.Error`."""

from __future__ import annotations

import collections.abc
import inspect
import operator
import os
import types
import typing
from collections.abc import Callable, Mapping
from functools import wraps
from numbers import Real
from typing import Annotated, Any, Literal, ParamSpec, TypeVar, Union

import numpy as np

from headscope._headscope import Error

_MOST_SHOWN = 60  # characters of a wrong value
_P = ParamSpec("_P")
_R = TypeVar("_R")
_C = TypeVar("_C", bound=type)


class _Misfit(Exception):
    """A value is not what an annotation says."""


def checked(function: Callable[_P, _R]) -> Callable[_P, _R]:
    """Looks at all that the function is given before it is called, and gives it plain Python values.

    A list where the annotation says Sequence, an int where numpy has a type of its own; a single
    text is a list of one.
    """
    names = list(inspect.signature(function).parameters)
    hints: dict[str, Any] = {}

    @wraps(function)
    def asked(*args: Any, **kwargs: Any) -> _R:
        if not hints:  # not before, since modules name each other's types
            hints.update(typing.get_type_hints(function, include_extras=True))
        given = [_checked(value, hints, name) for value, name in zip(args, names)]
        named = {name: _checked(value, hints, name) for name, value in kwargs.items()}
        return function(*given, *args[len(names) :], **named)  # type: ignore[call-arg, arg-type]

    return typing.cast("Callable[_P, _R]", asked)


def checked_methods(of: _C) -> _C:
    """The class with each public method, and the one that makes it, as `checked`."""
    for name, member in list(vars(of).items()):
        if inspect.isfunction(member) and (name == "__init__" or not name.startswith("_")):
            setattr(of, name, checked(member))
    return of


def _checked(value: object, hints: Mapping[str, Any], name: str) -> Any:
    hint = hints.get(name, Any)
    try:
        return _fitted(value, hint)
    except _Misfit:
        refusal = Error(f"{name} is {_shown(value)}; it must be {_meaning(hint)}.")
        refusal.code = "invalid_argument"
        raise refusal from None


def _shown(value: object) -> str:
    try:
        text = " ".join(ascii(value).split())
    except Exception:  # of the value's own
        text = f"of type {type(value).__name__}"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def _fitted(value: object, hint: Any) -> Any:
    """The value as the annotation says, or _Misfit."""
    if hint is Any or hint is object:
        return value
    origin = typing.get_origin(hint)
    arms = typing.get_args(hint)
    if origin in (Union, types.UnionType):
        return _first_fit(value, arms)
    if origin is Annotated:
        return _whole(value, *arms[1:])
    if origin is Literal:
        return _text(value)
    if origin is os.PathLike:
        return _path(value)
    if origin is collections.abc.Sequence:
        return [_fitted(each, arms[0]) for each in _listed(value)]
    if origin is tuple:
        each_of = [] if isinstance(value, str) else _listed(value)
        if len(each_of) != len(arms):
            raise _Misfit
        return tuple(_fitted(each, arm) for each, arm in zip(each_of, arms))
    if origin is collections.abc.Mapping:
        if not isinstance(value, Mapping):
            raise _Misfit
        return {_fitted(key, arms[0]): _fitted(held, arms[1]) for key, held in value.items()}
    if origin is collections.abc.Callable:
        if not callable(value):
            raise _Misfit
        return value
    return _PLAIN[hint](value) if hint in _PLAIN else _instance(value, hint)


def _first_fit(value: object, arms: tuple[Any, ...]) -> Any:
    if isinstance(value, str) and any(typing.get_origin(arm) is os.PathLike for arm in arms):
        return _path(value)  # which may hold what is no text
    for arm in arms:
        try:
            return _fitted(value, arm)
        except _Misfit:
            continue
    raise _Misfit


def _listed(value: object) -> list[Any]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, (bytes, bytearray, memoryview, Mapping)):
        raise _Misfit
    try:
        return list(value)  # type: ignore[call-overload, no-any-return]
    except TypeError:
        raise _Misfit from None


def _whole(value: object, least: int = 0, most: int = 2**64 - 1) -> int:
    if isinstance(value, (bool, np.bool_)):
        raise _Misfit
    try:
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise _Misfit from None
    if not least <= number <= most:
        raise _Misfit
    return number


def _number(value: object) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise _Misfit
    try:
        number = float(value)
    except OverflowError:
        raise _Misfit from None
    if not np.isfinite(number):
        raise _Misfit
    return number


def _truth(value: object) -> bool:
    if not isinstance(value, (bool, np.bool_)):
        raise _Misfit
    return bool(value)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise _Misfit
    try:
        value.encode()
    except UnicodeEncodeError:  # halves of surrogate pairs
        raise _Misfit from None
    return str(value)


def _path(value: object) -> str | bytes:
    """As text, or as bytes where its name is none."""
    try:
        path = os.fspath(value)  # type: ignore[call-overload]
        name = os.fsencode(path)
    except (TypeError, UnicodeEncodeError):
        raise _Misfit from None
    if not isinstance(path, str) or b"\0" in name:
        raise _Misfit
    try:
        return name.decode()
    except UnicodeDecodeError:
        return name


def _nothing(value: object) -> None:
    if value is not None:
        raise _Misfit


def _instance(value: object, of: type) -> object:
    if not isinstance(value, of):
        raise _Misfit
    return value


_PLAIN: dict[Any, Callable[[object], Any]] = {
    int: _whole,
    float: _number,
    bool: _truth,
    str: _text,
    type(None): _nothing,
}


def _meaning(hint: Any) -> str:
    origin = typing.get_origin(hint)
    arms = typing.get_args(hint)
    if origin in (Union, types.UnionType):
        meanings = dict.fromkeys(_meaning(arm) for arm in arms)
        return " or ".join(meanings)
    if origin is Annotated:
        return f"a whole number from {arms[1]} to {arms[2]}"
    if origin is Literal:
        return " or ".join(f'"{arm}"' for arm in arms)
    if origin is os.PathLike:
        return "a path"
    if origin is collections.abc.Sequence:
        return f"a list, each of it {_meaning(arms[0])}"
    if hint == tuple[int, int]:
        return "a head, such as (4, 1)"
    if origin is tuple:
        return f"({', '.join(_meaning(arm) for arm in arms)})"
    if origin is collections.abc.Mapping:
        return f"a dictionary from {_meaning(arms[0])} to {_meaning(arms[1])}"
    if origin is collections.abc.Callable:
        return "a function"
    return _PLAIN_MEANINGS.get(hint) or f"a {hint.__module__.split('.')[0]}.{hint.__name__}"


_PLAIN_MEANINGS = {
    int: "a whole number from 0 on",
    float: "a number",
    bool: "True or False",
    str: "a text",
    type(None): "None",
}
