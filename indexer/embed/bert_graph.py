"""The layers of a BERT as an ONNX file in memory: in float32, or in 8 bits, for questions.

onnxruntime multiplies 8 bits two to three times as fast as float32, and reads a quarter of the bytes: 11 MB of the
English model instead of 42, which seldom all lie in the cache. The package `onnx` writes such files too, but its
import holds every thread of a process for half a second.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from indexer.embed.numpy_bert import EPSILON, HEADS

STATES, LENGTHS = "states", "lengths"  # what goes in: embedded tokens (rows, tokens, width); tokens of each row

LARGEST = 127  # of a weight in 8 bits
# Processors without VNNI add products by twos in 16 bits, which weights above half of that can overflow.
LARGEST_IN_PAIRS = 63
FLOAT, INT8, INT32 = 1, 3, 6  # of TensorProto.DataType
FORMAT, OPERATORS = 8, 17  # versions of the file and of the standard's operators: onnxruntime has them since 1.12
FUSED = "com.microsoft"  # operators that onnxruntime adds


def written(tensors: Mapping[str, Any], largest: int = 0) -> bytes:
    """The file: from embedded tokens to the hidden states (rows, tokens, width) of the last layer.

    In float32, or in 8 bits where a `largest` weight is given. Then weights have a scale a column, and states that
    are read at once have one scale. What rounding leaves of them is multiplied as well, but after attention, where
    little would change: the cosine of a question with itself in float32 is .9996 on average (.998 in pairs, and
    .994 without the second product, which takes a third of the time).
    """
    graph = _Graph(tensors, largest)
    state, layer = graph.normalised("embeddings.LayerNorm", STATES), 0
    while f"encoder.layer.{layer}.output.dense.weight" in tensors:
        at = f"encoder.layer.{layer}"
        mixed = graph.attended(*(f"{at}.attention.self.{part}" for part in ("query", "key", "value")), of=state)
        mixed = graph.dense(f"{at}.attention.output.dense", of=mixed, roughly=True)
        state = graph.normalised(f"{at}.attention.output.LayerNorm", mixed, state)
        (inner,) = graph.add("Gelu", [graph.dense(f"{at}.intermediate.dense", of=state)], FUSED)
        state = graph.normalised(f"{at}.output.LayerNorm", graph.dense(f"{at}.output.dense", of=inner), state)
        layer += 1
    return graph.file(state, tensors["embeddings.LayerNorm.weight"].shape[0])


def one_product() -> tuple[bytes, Any, float]:
    """The file of one product in 8 bits, states to give it, and each number of its right result.

    Where sums of two products overflow, half comes out.
    """
    import numpy as np

    width = 64
    graph = _Graph(
        {"all.weight": np.ones((width, width), np.float32), "all.bias": np.zeros(width, np.float32)}, LARGEST
    )
    return graph.file(graph.dense("all", of=STATES), width), np.ones((1, 8, width), np.float32), width


@dataclass(slots=True)
class _Graph:
    """The nodes and constants of a graph so far, each as the bytes of its message; states go by name."""

    tensors: Mapping[str, Any]
    largest: int
    nodes: list[bytes] = field(default_factory=list)
    constants: list[bytes] = field(default_factory=list)

    def dense(self, *parts: str, of: str, roughly: bool = False) -> str:
        """The affine maps called `parts`, side by side, of a state."""
        import numpy as np

        weight = np.concatenate([self.tensors[f"{part}.weight"] for part in parts]).T
        bias = self.constant(np.concatenate([self.tensors[f"{part}.bias"] for part in parts]))
        if not self.largest:
            (product,) = self.add("MatMul", [of, self.constant(weight)])
            return self.add("Add", [product, bias])[0]
        scale = np.maximum(np.abs(weight).max(axis=0), np.float32(1e-12)) / np.float32(self.largest)
        numbers = [self.constant(np.round(weight / scale).astype(np.int8)), self.constant(scale), ""]
        (product,) = self.add("DynamicQuantizeMatMul", [of, *numbers, bias], FUSED)
        if roughly:
            return product
        rounded = self.add("DequantizeLinear", self.add("DynamicQuantizeLinear", [of], outputs=3))
        rest = self.add("DynamicQuantizeMatMul", [*self.add("Sub", [of, *rounded]), *numbers], FUSED)
        return self.add("Add", [product, *rest])[0]

    def attended(self, *parts: str, of: str) -> str:
        """Each token as a mixture of all of its row, by every head; `parts` are query, key and value."""
        thirds = self.add("Split", [self.dense(*parts, of=of)], outputs=3, axis=-1)
        (found,) = self.add("MultiHeadAttention", [*thirds, "", LENGTHS], FUSED, num_heads=HEADS)
        return found

    def normalised(self, at: str, *states: str) -> str:
        """The sum of the states, each token at mean 0 and variance 1, then scaled and shifted."""
        numbers = [self.constant(self.tensors[f"{at}.{part}"]) for part in ("weight", "bias")]
        total = self.add("Add", states) if len(states) > 1 else states
        return self.add("LayerNormalization", [*total, *numbers], axis=-1, epsilon=EPSILON)[0]

    def constant(self, value: Any) -> str:
        """The name of a constant of float32 or int8."""
        name = f"constant{len(self.constants)}"
        kind = _number(2, INT8 if value.dtype.kind == "i" else FLOAT)
        shape = (_number(1, size) for size in value.shape)
        self.constants.append(_message(5, *shape, kind, _text(8, name), _message(9, value.tobytes())))
        return name

    def add(
        self, kind: str, inputs: Sequence[str], domain: str = "", outputs: int = 1, **attributes: float
    ) -> list[str]:
        """The names of what a new node makes."""
        made = [f"{kind}{len(self.nodes)}.{n}" for n in range(outputs)]
        names = [*(_text(1, name) for name in inputs), *(_text(2, name) for name in made)]
        settings = (_message(5, _text(1, name), _setting(value)) for name, value in attributes.items())
        self.nodes.append(_message(1, *names, _text(4, kind), *settings, _text(7, domain)))
        return made

    def file(self, last: str, width: int) -> bytes:
        """The file whose output is the state called `last`, of this width as what goes in."""
        sides = [_message(1, _text(2, "rows")), _message(1, _text(2, "tokens")), _message(1, _number(1, width))]
        inputs = [_value(11, STATES, FLOAT, *sides), _value(11, LENGTHS, INT32, sides[0])]
        graph = [*self.nodes, _text(2, "bert"), *self.constants, *inputs, _value(12, last, FLOAT, *sides)]
        versions = {"": OPERATORS, FUSED: 1}
        operators = (_message(8, _text(1, domain), _number(2, version)) for domain, version in versions.items())
        return b"".join([_number(1, FORMAT), _message(7, *graph), *operators])


def _value(field: int, name: str, kind: int, *sides: bytes) -> bytes:
    """What goes into a graph, or comes out: a tensor of these sides."""
    return _message(field, _text(1, name), _message(2, _message(1, _number(1, kind), _message(2, *sides))))


def _setting(value: float) -> bytes:
    """The value of an attribute, and its kind."""
    if isinstance(value, int):
        return _number(3, value) + _number(20, 2)
    return _key(2, 5) + struct.pack("<f", value) + _number(20, 1)


def _message(field: int, *parts: bytes) -> bytes:
    """A field of protobuf's wire format that holds bytes, or a message of parts."""
    content = b"".join(parts)
    return _key(field, 2) + _varint(len(content)) + content


def _text(field: int, text: str) -> bytes:
    """A field that holds text."""
    return _message(field, text.encode())


def _number(field: int, number: int) -> bytes:
    """A field that holds a whole number."""
    return _key(field, 0) + _varint(number)


def _key(field: int, kind: int) -> bytes:
    """What stands before a field: its number, and how it is written."""
    return _varint(field << 3 | kind)


def _varint(number: int) -> bytes:
    """A number in 7 bits a byte, lowest first; negative ones as 64 bits."""
    number &= (1 << 64) - 1
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)
