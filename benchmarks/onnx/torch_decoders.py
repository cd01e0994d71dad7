"""
Decoders of `transformers` with their caches, exported by PyTorch's two exporters, as one program with state.

Five configurations of four families (Llama with and without grouped heads, Qwen2, GPT-2, Phi), two layers each, weights
from a seed. The length of the caches is open, as exporters write it; positions are inputs with an attention mask
(`stated`), or computed inside from the length of the caches (`inside`). Each network takes in a prompt and adds tokens:

| mode | options of `tilewright` |
|---|---|
| step | `--context` |
| bucket | `--context --bucket` |
| prefill | `--context --prefill`, with a prompt in calls for several tokens |
| both | `--context --bucket --prefill` |
| paged | `--context --paged` |
| paged-prefill | `--context --paged --prefill` |

Tokens are compared with those of `model.generate(do_sample=False)`, logits with PyTorch's. One environment must hold
both PyTorch and Tilewright (see torch_exports.py):

    torch-env/bin/python benchmarks/onnx/torch_decoders.py
    torch-env/bin/python benchmarks/onnx/torch_decoders.py phi --on interpreter --mode both

Exit code 1 where a token differs, a logit differs by more than 1e-4 of the largest, or a network is refused.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.ir import Array
from tilewright.runtime.tools.generate import generate, module_language
from tilewright.runtime.tools.generate_paged import paged_language, paged_run
from tilewright.runtime.tools.session import level_for, runner
from tilewright.runtime.tools.store_options import add_store_arguments
from tilewright.test.exits import peer_module

torch: Any = peer_module("torch")
transformers: Any = peer_module("transformers")
TorchModule: Any = torch.nn.Module

TOLERANCE = 1e-4
PLACES = ("interpreter", "host")
EXPORTERS = ("torchscript", "dynamo")
POSITIONS = ("stated", "inside")
PROMPT = (5, 17, 33, 4, 99, 56, 7, 61, 12)
TOKENS = 12
CONTEXT = 24
MODES: dict[str, dict[str, Any]] = {
    "step": {},
    "bucket": {"bucket": 8},
    "prefill": {"prefill": 4},
    "both": {"bucket": 8, "prefill": 4},
    "paged": {"page_length": 8},
    "paged-prefill": {"page_length": 8, "prefill": 4},
}

SMALL = {
    "vocab_size": 100,
    "max_position_embeddings": 64,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 64,
}
ENDLESS = {"bos_token_id": None, "eos_token_id": None}
FAMILIES: dict[str, tuple[str, dict[str, Any]]] = {
    "llama": ("Llama", SMALL),
    "llama-grouped": ("Llama", {**SMALL, "num_key_value_heads": 2}),
    "qwen2": ("Qwen2", {**SMALL, "num_key_value_heads": 2}),
    "gpt2": ("GPT2", {"vocab_size": 100, "n_positions": 64, "n_embd": 32, "n_layer": 2, "n_head": 4}),
    "phi": ("Phi", {**SMALL, "partial_rotary_factor": 0.5}),
}


class Decoder(TorchModule):
    """Language model whose caches are tensors: (tokens, [mask, positions,] key, value, ...) to (logits, key, ...)."""

    def __init__(self, model: Any, stated: bool):
        TorchModule.__init__(self)
        self.model, self.stated = model, stated

    def forward(self, input_ids: Any, *rest: Any) -> Any:
        stated = {"attention_mask": rest[0], "position_ids": rest[1]} if self.stated else {}
        pasts = rest[len(stated) :]
        cache = transformers.DynamicCache(config=self.model.config)
        for layer in range(len(pasts) // 2):
            cache.update(pasts[2 * layer], pasts[2 * layer + 1], layer)
        found = self.model(input_ids=input_ids, past_key_values=cache, use_cache=True, **stated)
        return (found.logits, *(each for layer in found.past_key_values.layers for each in (layer.keys, layer.values)))


def decoder(family: str) -> Any:
    """Return a language model of a family, its weights from a seed, norms and biases too."""
    name, configuration = FAMILIES[family]
    torch.manual_seed(0)
    causal = f"{name}LMHeadModel" if name == "GPT2" else f"{name}ForCausalLM"
    model = getattr(transformers, causal)(getattr(transformers, f"{name}Config")(**configuration, **ENDLESS)).eval()
    for parameter in model.parameters():
        parameter.data += 0.1 * torch.randn_like(parameter)
    return model


def export(model: Any, path: Path, exporter: str, attention: str, stated: bool, past: int = 5, new: int = 3) -> None:
    """Write a language model as ONNX with the numbers of cached rows and of new tokens open."""
    model.set_attn_implementation(attention)
    shape = model.config
    heads = getattr(shape, "num_key_value_heads", None) or shape.num_attention_heads
    cache = (1, heads, past, shape.hidden_size // shape.num_attention_heads)
    inputs: dict[str, tuple[Any, dict[int, str]]] = {"input_ids": (torch.zeros(1, new, dtype=torch.int64), {1: "new"})}
    if stated:
        inputs["attention_mask"] = torch.ones(1, past + new, dtype=torch.int64), {1: "past + new"}
        inputs["position_ids"] = torch.arange(past, past + new)[None], {1: "new"}
    names = [f"{layer}.{part}" for layer in range(shape.num_hidden_layers) for part in ("key", "value")]
    inputs |= {f"past_key_values.{name}": (torch.zeros(cache), {2: "past"}) for name in names}
    presents = {f"present.{name}": {2: "past + new"} for name in names}
    axes = {name: open_axes for name, (_, open_axes) in inputs.items()}
    if exporter == "dynamo":
        first, *others = ({axis: torch.export.Dim.DYNAMIC for axis in each} for each in axes.values())
        options: dict[str, Any] = {"dynamo": True, "dynamic_shapes": (first, tuple(others))}
    else:
        options = {"dynamo": False, "dynamic_axes": {**axes, "logits": {1: "new"}, **presents}}
    with torch.no_grad(), warnings.catch_warnings(), redirect_stdout(StringIO()):
        warnings.simplefilter("ignore")
        torch.onnx.export(
            Decoder(model, stated).eval(),
            tuple(example for example, _ in inputs.values()),
            str(path),
            input_names=list(inputs),
            output_names=["logits", *presents],
            verbose=False,
            **options,
        )


def expected(model: Any) -> tuple[list[int], Array]:
    """Return the tokens that PyTorch adds to the prompt, and the logits of each of its calls but the first."""
    prompt = torch.tensor([PROMPT])
    with torch.no_grad():
        tokens = model.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=TOKENS, do_sample=False)
        logits = model(tokens[:, :-1]).logits[0, len(PROMPT) - 1 :]
    return tokens[0, len(PROMPT) :].tolist(), logits.numpy()


@dataclass
class Recorded:
    """A network's run that keeps the last logits of each call."""

    run: Any
    logits: list[Array]

    def reset(self) -> None:
        """Reset the state."""
        self.run.reset()

    def __call__(self, inputs: Mapping[str, Array], *, function: str = "network") -> dict[str, Array]:
        outputs = self.run(inputs, function=function)
        (logits,) = outputs.values()
        self.logits.append(logits[0, -1])
        return outputs


def result(path: Path, mode: str, place: str, wanted: tuple[list[int], Array]) -> tuple[bool, float]:
    """Return whether a network adds the wanted tokens, and the largest error of a logit over the largest logit."""
    model = Model(path, context=CONTEXT, **MODES[mode])
    if model.page_length:
        store = argparse.ArgumentParser()
        add_store_arguments(store)
        network, step, prompt = paged_run(store.parse_args([], argparse.Namespace(target="host")), place, model)
        run, language = Recorded(network, []), paged_language(step, prompt, CONTEXT)
    else:
        compilation = compile_model(model, "host", **level_for(place, "tensor")._asdict())
        run, language = Recorded(runner(compilation, place), []), module_language(compilation.module)
    tokens = generate(run, language, PROMPT, TOKENS)
    found, logits = np.array(run.logits[-TOKENS:]), wanted[1]
    return tokens == wanted[0], float(np.abs(found - logits).max() / np.abs(logits).max())


def rows(options: argparse.Namespace) -> Iterator[tuple[str, bool]]:
    """Yield a row for each family, exporter and mode, and whether it is right."""
    for family in options.families or FAMILIES:
        model = decoder(family)
        wanted = expected(model)
        for exporter, attention, positions in (
            (exporter, attention, positions)
            for exporter in options.exporter or EXPORTERS
            for attention in options.attention or ("sdpa", "eager")
            for positions in options.positions or POSITIONS
        ):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "decoder.onnx"
                export(model, path, exporter, attention, positions == "stated")
                for mode in options.mode or MODES:
                    for place in options.on or PLACES:
                        head = f"{family:14}{exporter:12}{attention:6}{positions:8}{mode:15}{place:13}"
                        yield _row(head, path, mode, place, wanted)


def _row(head: str, path: Path, mode: str, place: str, wanted: tuple[list[int], Array]) -> tuple[str, bool]:
    try:
        equal, error = result(path, mode, place, wanted)
    except Diagnostic as refusal:
        return f"{head}refused: {refusal}", False
    return f"{head}{'equal' if equal else 'DIFFER':8}{error:.1e}", equal and error <= TOLERANCE


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("families", nargs="*", choices=[[], *FAMILIES], help="all, where none is named")
    parser.add_argument("--exporter", choices=EXPORTERS, action="append")
    parser.add_argument("--attention", choices=("sdpa", "eager"), action="append")
    parser.add_argument("--positions", choices=POSITIONS, action="append")
    parser.add_argument("--mode", choices=MODES, action="append")
    parser.add_argument("--on", choices=PLACES, action="append", help="where to run; repeatable (both)")
    print(f"{'family':14}{'exporter':12}{'':6}{'':8}{'mode':15}{'on':13}{'tokens':8}logits")
    failed = False
    for line, good in rows(parser.parse_args(arguments)):
        failed |= not good
        print(line, flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
