"""Topological order of nodes, and the tensors that a node and its subgraphs read."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from onnx import GraphProto, NodeProto

from ..errors import Diagnostic, did_you_mean


def sorted_nodes(
    nodes: Sequence[NodeProto], origins: Mapping[str, str], outputs: Sequence[str], is_known: Callable[[str], bool]
) -> list[NodeProto]:
    """
    Sort nodes topologically, keeping the order of the file where possible.

    `origins` maps further tensors to what defines them; `is_known` tells whether a name is defined anywhere.
    """
    producers = _producers(nodes, origins)
    _check_produced(nodes, producers, origins, outputs, is_known)
    needs: list[set[int]] = []
    users: list[list[int]] = [[] for _ in nodes]
    for index, node in enumerate(nodes):
        needs.append({producers[name] for name in taken(node) if name in producers})
        for producer in sorted(needs[index]):
            users[producer].append(index)
    open_needs = [len(needed) for needed in needs]
    ready = [index for index, count in enumerate(open_needs) if count == 0]
    order: list[int] = []
    while ready:
        index = heapq.heappop(ready)
        order.append(index)
        for user in users[index]:
            open_needs[user] -= 1
            if open_needs[user] == 0:
                heapq.heappush(ready, user)
    if len(order) < len(nodes):
        cycle = [nodes[index].name for index in _cycle(needs, set(range(len(needs))) - set(order))]
        raise Diagnostic(
            "the graph has a cycle",
            where=f'node "{cycle[0]}"',
            expected="nodes that read only results of earlier nodes",
            found=" -> ".join(f'"{name}"' for name in [*cycle, cycle[0]]),
            remedy="break the cycle: pass state from call to call as an input and an output",
        )
    return [nodes[index] for index in order]


def taken(node: NodeProto) -> Iterator[str]:
    """Yield the inputs of a node, and the outer tensors that its subgraphs read."""
    yield from filter(None, node.input)
    for body in bodies_of(node):
        own = defined_names(body)
        yield from (name for inner in body.node for name in taken(inner) if name not in own)
        yield from (value.name for value in body.output if value.name not in own)


def _producers(nodes: Sequence[NodeProto], origins: Mapping[str, str]) -> dict[str, int]:
    producers: dict[str, int] = {}
    for index, node in enumerate(nodes):
        for name in filter(None, node.output):
            if name in producers:
                raise produced_twice(name, [nodes[producers[name]].name, node.name])
            if name in origins:
                raise produced_twice(name, [origins[name], node.name])
            producers[name] = index
    return producers


def _check_produced(
    nodes: Sequence[NodeProto],
    producers: Mapping[str, int],
    origins: Iterable[str],
    outputs: Sequence[str],
    is_known: Callable[[str], bool],
) -> None:
    missing = [(node, name) for node in nodes for name in taken(node) if name not in producers and not is_known(name)]
    names = sorted({*producers, *origins})
    if missing:
        node, name = missing[0]
        raise Diagnostic(
            "a node needs a tensor that nothing produces",
            where=where_node(node),
            expected="an input, an initialiser or the output of a node",
            found=f'"{name}"',
            remedy=did_you_mean(name, names) or "add the tensor as an input or an initialiser",
            notes=[f'{where_node(other)} needs "{text}"' for other, text in missing[1:]],
        )
    for name in outputs:
        if name not in producers and not is_known(name):
            raise Diagnostic(
                "an output of the graph is never produced",
                where=f'output "{name}"',
                expected="the output of a node",
                found=f'no node, input or initialiser that defines "{name}"',
                remedy=did_you_mean(name, names) or "remove the output",
            )


def _cycle(needs: Sequence[set[int]], rest: set[int]) -> Iterator[int]:
    """Yield the nodes of a cycle among `rest`, in the order in which data flow."""
    path = [min(rest)]
    while (previous := min(needs[path[-1]] & rest)) not in path:
        path.append(previous)
    loop = path[path.index(previous) :][::-1]
    first = loop.index(min(loop))
    yield from loop[first:] + loop[:first]


def defined_names(body: GraphProto) -> set[str]:
    """Return the names that a graph itself gives to tensors."""
    names = {tensor.name for tensor in chain(body.input, body.initializer)}
    names |= {tensor.values.name for tensor in body.sparse_initializer}
    return names | {name for node in body.node for name in node.output}


def bodies_of(node: NodeProto) -> Iterator[GraphProto]:
    """Yield the graphs that a node holds as attributes."""
    for attribute in node.attribute:
        if attribute.HasField("g"):
            yield attribute.g
        yield from attribute.graphs


def with_inner(nodes: Iterable[NodeProto]) -> Iterator[NodeProto]:
    """Yield nodes and those of the graphs that they hold."""
    for node in nodes:
        yield node
        for body in bodies_of(node):
            yield from with_inner(body.node)


def produced_twice(tensor: str, producers: Sequence[str]) -> Diagnostic:
    """Return the error for a tensor that several nodes produce."""
    return Diagnostic(
        "two nodes produce one tensor",
        where=f'tensor "{tensor}"',
        expected="one producer",
        found=" and ".join(f'"{name}"' for name in producers),
        remedy="rename the output of one of them",
    )


def where_node(node: NodeProto) -> str:
    """Return the place to name in an error about a node."""
    return f'node "{node.name}"'
