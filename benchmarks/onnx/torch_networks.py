"""Networks of `transformers` by their configurations, with random weights."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tilewright.test.exits import peer_module

torch: Any = peer_module("torch")
transformers: Any = peer_module("transformers")
TorchModule: Any = torch.nn.Module


class Outputs(TorchModule):
    """A network that returns its first output as a tensor, called by position."""

    def __init__(self, network: Any, argument: str, options: dict[str, Any]):
        TorchModule.__init__(self)
        self.network, self.argument, self.options = network, argument, options

    def forward(self, x: Any) -> Any:
        return self.network(**{self.argument: x}, **self.options, return_dict=False)[0]


@dataclass(frozen=True)
class Network:
    """
    A network by its configuration, small and, for some, as published; `example` makes the input of its argument.

    `attentions` are the forms in which it can compute attention.
    """

    model: Callable[[Any], Any]
    configuration: Callable[..., Any]
    argument: str
    example: Callable[[Any], Any]
    small: dict[str, Any]
    published: dict[str, Any] | None = None
    options: Callable[[Any], dict[str, Any]] = lambda example: {}
    attentions: Sequence[str] = ("eager", "sdpa")

    def module(self, published: bool) -> tuple[Outputs, Any]:
        """Return the network with random weights, those of the norms too, so that each of them counts, and an input."""
        torch.manual_seed(0)
        configuration = self.configuration(**((published and self.published) or self.small))
        network = self.model(configuration).eval()
        for name, parameter in network.named_parameters():
            if "norm" in name.lower():
                parameter.data += 0.1 * torch.randn_like(parameter)
        example = self.example(configuration)
        return Outputs(network, self.argument, self.options(example)).eval(), example


def _tokens(configuration: Any) -> Any:
    length = getattr(configuration, "max_position_embeddings", 32) // 2
    return torch.randint(0, configuration.vocab_size, (1, length))


def _picture(configuration: Any) -> Any:
    size = configuration.image_size
    return torch.randn(1, 3, *(size if isinstance(size, list) else (size, size)))


def _features(configuration: Any) -> Any:
    return torch.randn(1, configuration.num_mel_bins, 2 * configuration.max_source_positions)


def _seen(tokens: Any) -> dict[str, Any]:
    return {"use_cache": False, "attention_mask": torch.ones_like(tokens)}


def _uncached(tokens: Any) -> dict[str, Any]:
    return {"use_cache": False}


def _text(model: str, configuration: str, small: dict[str, Any], **more: Any) -> Network:
    model_class, configuration_class = getattr(transformers, model), getattr(transformers, configuration)
    small = {"vocab_size": 100, "max_position_embeddings": 32, **small}
    return Network(model_class, configuration_class, "input_ids", _tokens, small, **more)


def _vision(model: str, configuration: str, small: dict[str, Any], **more: Any) -> Network:
    model_class, configuration_class = getattr(transformers, model), getattr(transformers, configuration)
    return Network(model_class, configuration_class, "pixel_values", _picture, small, **more)


SMALL = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
GROUPED = {"num_key_value_heads": 2, **SMALL}
PATCHES = {"image_size": 32, "patch_size": 8, **SMALL}
WINDOWS = {"image_size": 32, "patch_size": 2, "embed_dim": 16, "depths": [2, 2], "num_heads": [2, 4], "window_size": 4}
PYRAMID = {"image_size": 64, "hidden_sizes": [16, 32, 32, 64], "depths": [1] * 4, "num_attention_heads": [1, 2, 2, 4]}
STORIES = {"hidden_size": 288, "num_hidden_layers": 6, "num_attention_heads": 6, "intermediate_size": 768}
"""The Llama of 15 million parameters of https://github.com/karpathy/llama2.c."""
WHISPER = {
    "d_model": 64,
    "encoder_layers": 2,
    "encoder_attention_heads": 4,
    "encoder_ffn_dim": 128,
    "max_source_positions": 50,
    "decoder_layers": 1,
    "decoder_attention_heads": 4,
}
WAVES = {
    "conv_dim": (32, 32, 32),
    "conv_stride": (5, 2, 2),
    "conv_kernel": (10, 3, 3),
    "num_feat_extract_layers": 3,
    "num_conv_pos_embeddings": 16,
    "num_conv_pos_embedding_groups": 4,
    **SMALL,
}
MOBILE = {
    "image_size": 64,
    "hidden_sizes": [24, 32, 40],
    "neck_hidden_sizes": [8, 16, 16, 24, 32, 40, 80],
    "num_attention_heads": 4,
}

NETWORKS = {
    "bert": _text("BertModel", "BertConfig", SMALL, published={"vocab_size": 30522}),
    "vit": _vision("ViTModel", "ViTConfig", PATCHES, published={"image_size": 224}),
    "swin": _vision("SwinModel", "SwinConfig", WINDOWS, published={"image_size": 224}),
    "llama": _text(
        "LlamaForCausalLM",
        "LlamaConfig",
        GROUPED,
        published={"vocab_size": 32000, "max_position_embeddings": 256, **STORIES},
        options=_seen,
    ),
    "whisper": Network(
        lambda configuration: transformers.WhisperModel(configuration).encoder,
        transformers.WhisperConfig,
        "input_features",
        _features,
        WHISPER,
        published={"max_source_positions": 1500},
    ),
    "clip": _vision("CLIPVisionModel", "CLIPVisionConfig", PATCHES),
    "convnext": _vision(
        "ConvNextModel",
        "ConvNextConfig",
        {"image_size": 64, "hidden_sizes": [16, 32, 32, 64], "depths": [1, 1, 2, 1]},
        attentions=("none",),
    ),
    "gemma": _text("GemmaForCausalLM", "GemmaConfig", {**GROUPED, "head_dim": 16}, options=_seen),
    "mamba": _text(
        "MambaModel",
        "MambaConfig",
        {"hidden_size": 32, "num_hidden_layers": 2, "state_size": 4},
        options=_uncached,
        attentions=("none",),
    ),
    "mobilevit": _vision("MobileViTModel", "MobileViTConfig", MOBILE, attentions=("eager",)),
    "pvt": _vision("PvtModel", "PvtConfig", PYRAMID, attentions=("eager",)),
    "qwen2": _text("Qwen2ForCausalLM", "Qwen2Config", GROUPED, options=_seen),
    "segformer": _vision("SegformerForSemanticSegmentation", "SegformerConfig", {**PYRAMID, "decoder_hidden_size": 32}),
    "t5": _text(
        "T5EncoderModel",
        "T5Config",
        {"d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4},
    ),
    "wav2vec2": Network(
        transformers.Wav2Vec2Model,
        transformers.Wav2Vec2Config,
        "input_values",
        lambda configuration: torch.randn(1, 1600),
        WAVES,
    ),
    "yolos": _vision("YolosModel", "YolosConfig", {**PATCHES, "image_size": [32, 32]}),
}
