"""Calls of private functions, with scalars, tensors and buffers as arguments."""

from __future__ import annotations

from dataclasses import replace

from .builder import Callee, Draft, NoChoice, Profile, statement
from .control import assigned, fresh, listed, names_of, yielded
from .types import Shaped, TypedValue


@statement("calls", 3)
def call(b: Draft) -> None:
    """Add a call; a callee that writes is not called where statements must not write."""
    if not b.callees or (b.quiet and b.profile.level == "memref"):
        raise NoChoice
    callee = b.draw.choice(b.callees)
    arguments = [_argument(b, parameter) for parameter in callee.arguments]
    results = fresh(b, callee.results)
    inputs, outputs = listed([value.type for value in callee.arguments]), listed(callee.results)
    shown = outputs if len(callee.results) == 1 else f"({outputs})"
    b.line(f"{assigned(results)}func.call @{callee.name}({names_of(arguments)}) : ({inputs}) -> {shown}")
    b.scopes[-1] += results


def _argument(b: Draft, parameter: TypedValue) -> TypedValue:
    if parameter.type == "index":
        return b.index(*parameter.bounds)
    if isinstance(parameter.type, Shaped) and parameter.type.kind == "memref":
        fits = [
            value
            for value in b.visible(lambda value: value.type == parameter.type)
            if value.writable or not parameter.writable
        ]
        return b.pick(fits)
    return b.value(parameter.type)


def private_function(b: Draft, profile: Profile) -> None:
    """Add a private function, which may call those before it, to a program."""
    name = b.label()
    inner = Draft(b.draw, profile, b.prefix, callees=b.callees, globals=b.globals, traits=b.traits)
    inner.portable, inner.count = b.portable, b.count
    arguments = tuple(_parameter(inner) for _ in range(b.draw.randint(0, 3)))
    most = b.draw.choice((0, 1, 1, 1, 1, 1 if b.portable else 2))
    if most > 1:
        b.traits.add("several results")
    inner.scopes[-1] += arguments
    inner.body(b.draw.randint(1, 6))
    tensors = [
        value.type
        for value in inner.visible(lambda value: isinstance(value.type, Shaped))
        if value.shaped.kind == "tensor"
    ]
    types = [
        b.draw.choice(tensors) if tensors and (b.profile.tensors_only or b.draw.random() < 0.6) else inner.scalar_type()
        for _ in range(most)
    ]
    results = yielded(inner, types, arguments)
    if any(isinstance(type, Shaped) for type in types):
        b.traits.add("returned tensor")
    shown = f" -> ({listed(types)})" if types else ""
    named = ", ".join(f"{value.name}: {value.type}" for value in arguments)
    end = f"func.return {names_of(results)} : {listed(types)}" if types else "func.return"
    lines = [f"func.func private @{name}({named}){shown} {{", *inner.lines, f"  {end}", "}"]
    b.globals += lines
    b.count = inner.count
    b.callees = [*b.callees, Callee(name, tuple(_closed(value) for value in arguments), tuple(types))]


def _closed(value: TypedValue) -> TypedValue:
    return replace(value, root="")


def _parameter(b: Draft) -> TypedValue:
    choice = b.draw.random() if not b.profile.tensors_only else 1
    if choice < 0.2:
        return TypedValue(b.name(), "index", (0, 7))
    if choice < 0.6:
        return TypedValue(b.name(), b.scalar_type())
    type = Shaped(b.profile.level, b.shape(), b.scalar_type())
    if type.kind == "tensor":
        return TypedValue(b.name(), type)
    # Buffers of a caller may alias: all of them count as one root.
    return TypedValue(b.name(), type, root="argument", writable=b.draw.random() < 0.5)
