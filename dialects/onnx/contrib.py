"""
Operators of ONNX Runtime (domain com.microsoft) that the importer replaces by operators of ai.onnx, as schemas.

None of them is in the IR. Inputs whose name ends in ? are optional; an attribute's value is its default, or its kind
where it is required. Source: ContribOperators.md of ONNX Runtime.
"""

from __future__ import annotations

from typing import Any

from onnx import helper
from onnx.defs import OpSchema

CONTRIB_DOMAIN = "com.microsoft"
_INT, _FLOAT, _STRINGS, _INTS, _FLOATS = (
    getattr(OpSchema.AttrType, kind) for kind in ("INT", "FLOAT", "STRINGS", "INTS", "FLOATS")
)
_TYPES = [
    f"tensor({kind})"
    for kind in (
        *("float", "double", "float16", "bfloat16", "bool"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "int4", "uint4"),
        *("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "float4e2m1"),
    )
]


def _parameters(names: str, prefix: str) -> list[OpSchema.FormalParameter]:
    option = OpSchema.FormalParameterOption
    forms = {"?": option.Optional, "*": option.Variadic}
    return [
        OpSchema.FormalParameter(
            name.rstrip("?*"), f"{prefix}{i}", param_option=forms.get(name[-1], option.Single), is_homogeneous=False
        )
        for i, name in enumerate(names.split())
    ]


def _row(name: str, inputs: str, outputs: str = "y", domain: str = CONTRIB_DOMAIN, **attributes: Any) -> OpSchema:
    takes, gives = _parameters(inputs, "T"), _parameters(outputs, "R")
    parts: list[OpSchema.Attribute] = []
    for key, value in attributes.items():
        if isinstance(value, OpSchema.AttrType):
            parts.append(OpSchema.Attribute(key, value, "", required=True))
        else:
            parts.append(OpSchema.Attribute(key, helper.make_attribute(key, value), ""))
    open_ = [OpSchema.Attribute(key, kind, "", required=False) for key, kind in _OPEN.get(name, {}).items()]
    return OpSchema(
        name,
        domain,
        1,
        inputs=takes,
        outputs=gives,
        type_constraints=[(parameter.type_str, _TYPES, "") for parameter in (*takes, *gives)],
        attributes=[*parts, *open_],
    )


_OPEN: dict[str, dict[str, OpSchema.AttrType]] = {
    "Attention": {"qkv_hidden_sizes": _INTS, "scale": _FLOAT},
    "MultiHeadAttention": {"scale": _FLOAT},
    "QAttention": {"scale": _FLOAT},
    "GroupQueryAttention": {"scale": _FLOAT, "kv_cache_bit_width": _INT},
    "DecoderMaskedMultiHeadAttention": {"scale": _FLOAT},
    "MoE": {"swiglu_limit": _FLOAT},
    "NhwcMaxPool": dict.fromkeys(("pads", "strides", "dilations"), _INTS),
    "QLinearConv": dict.fromkeys(("kernel_shape", "pads", "strides", "dilations"), _INTS),
    "DynamicQuantizeLSTM": {
        **dict.fromkeys(("activation_alpha", "activation_beta"), _FLOATS),
        "activations": _STRINGS,
        "clip": _FLOAT,
        "hidden_size": _INT,
    },
    "QLinearAveragePool": dict.fromkeys(("kernel_shape", "pads", "strides"), _INTS),
    "FusedConv": {
        **dict.fromkeys(("dilations", "kernel_shape", "pads", "strides", "activation_params"), _INTS),
        "activation_params": _FLOATS,
    },
}
"""Operator -> its attributes that have neither a default nor must be there."""

_NORM: dict[str, Any] = {"epsilon": 1e-12}
_QUANTISED = "a a_scale a_zero? b b_scale b_zero? c_scale c_zero?"
_ONE_QUANTISED = "x x_scale x_zero? y_scale y_zero?"

CONTRIB_SCHEMAS: tuple[OpSchema, ...] = (
    _row("BiasGelu", "a b"),
    _row("FastGelu", "x bias?"),
    _row("QuickGelu", "x", alpha=1.702),
    _row("FusedMatMul", "a b", alpha=1.0, transA=0, transB=0, transBatchA=0, transBatchB=0),
    _row("FusedConv", "x w b? z?", activation="", auto_pad="NOTSET", group=1),
    _row("FusedGemm", "a b c?", alpha=1.0, beta=1.0, transA=0, transB=0, activation=""),
    _row("SkipLayerNormalization", "x skip gamma beta? bias?", "y mean? deviation? sum?", **_NORM),
    _row("SkipSimplifiedLayerNormalization", "x skip gamma bias?", "y mean? deviation? sum?", **_NORM),
    _row("SimplifiedLayerNormalization", "x scale", "y deviation?", "", axis=-1, epsilon=1e-5, stash_type=1),
    _row(
        "EmbedLayerNormalization",
        "ids segments? words positions segment_table? gamma beta mask? position_ids?",
        "y mask_index? sum?",
        mask_index_type=0,
        **_NORM,
    ),
    _row(
        "Attention",
        "x weights bias? mask? past? attention_bias? past_length?",
        "y present?",
        num_heads=_INT,
        unidirectional=0,
        do_rotary=0,
        mask_filter_value=-10000.0,
        past_present_share_buffer=0,
        rotary_embedding_dim=0,
    ),
    _row(
        "QAttention",
        "x weights bias x_scale weight_scale mask? x_zero? weight_zero? past?",
        "y present?",
        num_heads=_INT,
        unidirectional=0,
        do_rotary=0,
        mask_filter_value=-10000.0,
        past_present_share_buffer=0,
    ),
    _row(
        "MultiHeadAttention",
        "query key? value? bias? mask? attention_bias? past_key? past_value?",
        "y present_key? present_value?",
        num_heads=_INT,
        unidirectional=0,
        mask_filter_value=-10000.0,
    ),
    _row(
        "GroupQueryAttention",
        "query key? value? past_key? past_value? last_keys total cosines? sines? positions? attention_bias? sink? "
        "key_scale? value_scale? query_norm? key_norm?",
        "y present_key? present_value? scores?",
        num_heads=_INT,
        kv_num_heads=_INT,
        causal=1,
        do_rotary=0,
        rotary_interleaved=0,
        local_window_size=-1,
        softcap=0.0,
        smooth_softmax=0,
        sliding_window_cache=0,
        qk_output=0,
        qk_norm_epsilon=1e-6,
        k_quant_type="NONE",
        v_quant_type="NONE",
    ),
    _row(
        "DecoderMaskedMultiHeadAttention",
        "query key? value? mask? attention_bias? past_key? past_value? past_length? beams? beam_of? bias?",
        "y present_key? present_value? scores?",
        num_heads=_INT,
        mask_filter_value=-10000.0,
        output_qk=0,
        past_present_share_buffer=0,
    ),
    _row(
        "RotaryEmbedding",
        "x positions cosines sines",
        num_heads=0,
        rotary_embedding_dim=0,
        interleaved=0,
        is_packed_batching=0,
        scale=1.0,
    ),
    _row(
        "MoE",
        "x router fc1 fc1_bias? fc2 fc2_bias? fc3? fc3_bias?",
        k=1,
        activation_type="relu",
        activation_alpha=1.0,
        activation_beta=0.0,
        normalize_routing_weights=0,
        swiglu_fusion=0,
        swiglu_limit_after_activation=0,
        use_sparse_mixer=0,
    ),
    _row("QLinearAdd", _QUANTISED),
    _row("QLinearMul", _QUANTISED),
    _row("QLinearSigmoid", _ONE_QUANTISED),
    _row("QLinearLeakyRelu", _ONE_QUANTISED, alpha=0.01),
    _row("QLinearSoftmax", _ONE_QUANTISED, axis=-1, opset=_INT),
    _row("QLinearGlobalAveragePool", _ONE_QUANTISED, channels_last=0),
    _row(
        "QLinearAveragePool",
        _ONE_QUANTISED,
        auto_pad="NOTSET",
        ceil_mode=0,
        channels_last=0,
        count_include_pad=0,
    ),
    _row(
        "QLinearConv",
        "x x_scale x_zero w w_scale w_zero y_scale y_zero b?",
        auto_pad="NOTSET",
        channels_last=0,
        group=1,
    ),
    _row("NhwcMaxPool", "x", kernel_shape=_INTS, auto_pad="NOTSET", ceil_mode=0),
    _row("QLinearWhere", "condition x x_scale x_zero y y_scale y_zero z_scale z_zero", "z"),
    _row("QGemm", "a a_scale a_zero b b_scale b_zero c? y_scale? y_zero?", alpha=1.0, transA=0, transB=0),
    _row(
        "DynamicQuantizeLSTM",
        "x w r b? lengths? h? c? p? w_scale w_zero r_scale r_zero",
        "y? y_h? y_c?",
        direction="forward",
        input_forget=0,
    ),
    _row("QLinearConcat", "y_scale y_zero inputs*", axis=_INT),
    _row("DynamicQuantizeMatMul", "a b b_scale b_zero? bias?"),
    _row("MatMulIntegerToFloat", "a b a_scale b_scale a_zero? b_zero? bias?"),
    _row("CDist", "a b", metric="sqeuclidean"),
    _row(
        "GatherBlockQuantized",
        "data indices scales zeros?",
        bits=4,
        block_size=128,
        gather_axis=0,
        quantize_axis=1,
    ),
    _row(
        "MatMulNBits",
        "a b scales zeros? groups? bias?",
        K=_INT,
        N=_INT,
        block_size=_INT,
        bits=4,
        accuracy_level=0,
        weight_prepacked=0,
    ),
)
