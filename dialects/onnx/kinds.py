"""Kinds of ONNX operators by the data flow between elements: elementwise functions and data movement."""

ELEMENTWISE = frozenset(
    (
        "Abs Add Celu Ceil Clip Cos Div Elu Erf Exp Floor Gelu HardSigmoid HardSwish LeakyRelu Log Max Min Mish Mul "
        "Neg Pow PRelu Reciprocal Relu Round Selu Sigmoid Sign Sin Softplus Softsign Sqrt Sub Swish Tanh "
        "ThresholdedRelu"
    ).split()
)
"""Operators whose result's elements depend on the elements at the same place alone."""

CHOICES = frozenset(("MaxPool", "GlobalMaxPool", "ReduceMax", "ReduceMin"))
"""Operators that choose the greatest or least of several elements."""

MOVES = CHOICES | frozenset(
    (
        "Concat DepthToSpace Expand Flatten Gather GatherElements GatherND Identity Pad Reshape Resize Slice "
        "SpaceToDepth Split Squeeze Tile Transpose Unsqueeze"
    ).split()
)
"""Operators that move, repeat or choose elements."""
