"""Decoders whose caches an operator of attention takes: ONNX's, and two of ONNX Runtime."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from tilewright.ir import Array
from tilewright.test import onnx_runtime

VOCABULARY, WIDTH, LONGEST = 11, 16, 24
CONTRIB = "com.microsoft"


@dataclass(frozen=True)
class Decoder:
    """A decoder of one layer: its operator of attention with its attributes, heads of queries and of keys."""

    kind: str
    heads: int = 2
    groups: int = 2
    attributes: dict[str, Any] = field(default_factory=dict[str, Any])
    is_masked: bool = False
    has_sinks: bool = True
    past: str | int = "past"
    new: str | int = "new"

    def model(self) -> ModelProto:
        """Return the network: inputs tokens and caches, perhaps position_ids and attention_mask."""
        total = self.past + self.new if isinstance(self.past, int) and isinstance(self.new, int) else "past + new"
        nodes = [_node("Gather", "table tokens", "words"), *self._positions()]
        nodes += [_node("MatMul", f"x w{part}", part) for part in "qkv"]
        nodes += self._attention()
        nodes += [_node("MatMul", "attended wo", "scored"), _node("Add", "scored shift", "logits")]
        cache = [1, self.groups, self.past, WIDTH]
        inputs = [_port("tokens", [1, self.new], TensorProto.INT64), _port("past_k", cache), _port("past_v", cache)]
        if self.kind != "GroupQueryAttention":
            inputs.append(_port("position_ids", [1, self.new], TensorProto.INT64))
        if self.is_masked or self.kind == "GroupQueryAttention":
            inputs.append(_port("attention_mask", [1, total], TensorProto.INT64))
        grown = [1, self.groups, total, WIDTH]
        outputs = [_port("logits", [1, self.new, VOCABULARY]), _port("present_k", grown), _port("present_v", grown)]
        graph = helper.make_graph(nodes, "decoder", inputs, outputs, self._constants())
        imports = [helper.make_opsetid("", 23), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=imports, ir_version=10)

    def _positions(self) -> list[NodeProto]:
        if self.kind == "GroupQueryAttention":
            return [_node("Identity", "words", "x")]
        return [_node("Gather", "places position_ids", "place"), _node("Add", "words place", "x")]

    def _attention(self) -> list[NodeProto]:
        results = "attended present_k present_v"
        if self.kind == "Attention":
            attributes: dict[str, Any] = {"q_num_heads": self.heads, "kv_num_heads": self.groups, **self.attributes}
            mask = "seen" if self.is_masked else "_"
            nodes = [_node("Cast", "attention_mask", "seen", to=TensorProto.BOOL)] if self.is_masked else []
            return [*nodes, _node("Attention", f"q k v {mask} past_k past_v", results, **attributes)]
        if self.kind == "MultiHeadAttention":
            names = f"q k v {'bias' if self.is_masked else '_'} _ _ past_k past_v"
            attributes = {"num_heads": self.heads, **self.attributes}
            return [_node(self.kind, names, results, CONTRIB, **attributes)]
        attributes = {"num_heads": self.heads, "kv_num_heads": self.groups, **self.attributes}
        rotations = "cosines sines" if self.attributes.get("do_rotary") else "_ _"
        return [
            _node("ReduceSum", "attention_mask axis", "count", keepdims=0),
            _node("Sub", "count axis", "last"),
            _node("Cast", "last", "lengths", to=TensorProto.INT32),
            _node("Shape", "attention_mask", "extents"),
            _node("Gather", "extents one", "extent"),
            _node("Cast", "extent", "total", to=TensorProto.INT32),
            _node(
                self.kind,
                f"q k v past_k past_v lengths total {rotations} _ _ {'sinks' if self.has_sinks else '_'}",
                results,
                CONTRIB,
                **attributes,
            ),
        ]

    def _constants(self) -> list[TensorProto]:
        random = np.random.default_rng(self.heads)
        inner = self.heads * WIDTH
        shapes = {"table": (VOCABULARY, 6), "places": (LONGEST, 6), "wq": (6, inner), "wo": (inner, VOCABULARY)}
        shapes |= dict.fromkeys(("wk", "wv"), (6, self.groups * WIDTH))
        shapes |= {"shift": (VOCABULARY,), "bias": (3 * inner,), "sinks": (self.heads,)}
        found: dict[str, Array] = {name: random.standard_normal(shape).astype("f4") for name, shape in shapes.items()}
        angles = np.outer(np.arange(LONGEST), np.exp(-np.arange(WIDTH // 2))).astype(np.float32)
        found |= {"cosines": np.cos(angles), "sines": np.sin(angles), "axis": np.array([1]), "one": np.array(1)}
        return [numpy_helper.from_array(value, name) for name, value in found.items()]

    def one_after_another(self, tokens: Sequence[int], added: int) -> list[Array]:
        """Return the logits that ONNX Runtime gives for each call, the caches handed on."""
        model = replace(self, past="past", new="new").model()
        session = onnx_runtime.session(model, fused=False)
        names = [each.name for each in session.get_inputs()]
        past = {name: np.zeros((1, self.groups, 0, WIDTH), np.float32) for name in ("past_k", "past_v")}
        logits: list[Array] = []
        for at in range(0, len(tokens), added):
            given = {"tokens": np.array([tokens[at : at + added]]), "position_ids": np.arange(at, at + added)[None]}
            given |= {"attention_mask": np.ones((1, at + added), np.int64), **past}
            found = session.run(None, {name: value for name, value in given.items() if name in names})
            logits.append(found[0])
            past = {"past_k": found[1], "past_v": found[2]}
        return logits


def _node(op: str, inputs: str, outputs: str, domain: str = "", **attributes: Any) -> NodeProto:
    """Return a node of names separated by spaces, _ for one that is left out."""
    names = ["" if name == "_" else name for name in inputs.split()]
    return helper.make_node(op, names, outputs.split(), domain=domain, **attributes)


def _port(name: str, shape: Sequence[int | str], kind: int = TensorProto.FLOAT) -> Any:
    return helper.make_tensor_value_info(name, kind, shape)


def drawn(random: np.random.Generator) -> tuple[Decoder, int]:
    """Return a random decoder, and the number of tokens that each call takes."""
    kind = str(random.choice(["Attention", "MultiHeadAttention", "GroupQueryAttention"]))
    added, groups = int(random.integers(1, 4)), int(random.integers(1, 3))
    heads = groups if kind == "MultiHeadAttention" else groups * int(random.integers(1, 3))
    attributes: dict[str, Any] = {"scale": 0.4} if random.random() < 0.4 else {}
    is_causal = random.random() < 0.6
    if kind == "Attention":
        attributes |= {"is_causal": int(is_causal)}
        attributes |= {"softcap": 1.5} if random.random() < 0.3 else {}
    elif kind == "MultiHeadAttention":
        attributes |= {"unidirectional": int(is_causal)}
    else:
        attributes |= {"do_rotary": int(random.integers(2)), "rotary_interleaved": int(random.integers(2))}
        attributes |= {"local_window_size": int(random.integers(2, 5))} if random.random() < 0.4 else {}
        attributes |= {"softcap": 1.5} if random.random() < 0.3 else {}
    # ONNX Runtime's Attention takes no mask that broadcasts over several queries.
    is_masked = bool(random.random() < 0.5) and (kind != "Attention" or added == 1)
    has_sinks = bool(random.random() < 0.5)
    return Decoder(kind, heads, groups, attributes, is_masked, has_sinks), added
