"""Text from a network, token by token: the greatest score is the next token."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import TYPE_CHECKING

import numpy as np
from xdsl.dialects.builtin import ModuleOp

from ...compiler import PREFILL
from ...dialects.core.ports import ATTENTION_MASK, symbol_in
from ...errors import Diagnostic
from ...files import path_of
from ...ir import Array, symbol_names
from ..inputs import Input, host_inputs, network_inputs
from .session import Run

if TYPE_CHECKING:
    from ..host import HostNetwork


@dataclass(frozen=True)
class Language:
    """
    Inputs of a network of tokens: tokens and the position of the first, and as many rows as its state has.

    `vocabulary` is how many tokens it knows, 0 where it does not say. `function` is which of the network's functions it
    is, `prompt` the one for several tokens at once, if there is one. `masks` say which rows of the state count: all.
    """

    token: Input
    position: Input
    context: int
    vocabulary: int
    function: str = "network"
    prompt: Language | None = None
    masks: tuple[Input, ...] = ()

    @property
    def count(self) -> int:
        """The tokens of a call."""
        return self.position.added


def language_of(inputs: Sequence[Input], prompt: Sequence[Input] = ()) -> Language:
    """
    Return the inputs of a language model, given those of its function for one token and of that for a prompt, if any.

    Raises Diagnostic where it is no language model with state.
    """
    step = _language(inputs, "network", None)
    if step.count != 1:
        raise Diagnostic(
            "the network takes several tokens at once",
            expected="a step: one token",
            found=f'input "{step.token.name}" of shape {list(step.token.shape)}',
            remedy="give the network exported for one new token, and this one with --prefill",
        )
    return replace(step, prompt=_language(prompt, PREFILL, step)) if prompt else step


def _language(inputs: Sequence[Input], function: str, step: Language | None) -> Language:
    position = next((port for port in inputs if port.added), None)
    rows = position.rows if position is not None else 0
    masks = tuple(port for port in inputs if port.name == ATTENTION_MASK and prod(port.shape) == rows)
    others = [port for port in inputs if port is not position and port not in masks]
    if position is None:
        raise Diagnostic(
            "the network keeps nothing from token to token",
            expected="a network with state",
            found=f"the inputs {', '.join(port.name for port in inputs)}",
            remedy="give --context, which turns the caches of the network into state",
        )
    if len(others) != 1:
        raise Diagnostic(
            "the network takes more than a token and a position",
            expected=f"one input besides the position, and '{ATTENTION_MASK}' of one number for each row of the state",
            found=", ".join(port.name for port in others) or "none",
            remedy="export the network with its embedding, rotations and masks computed inside of it",
        )
    token = others[0]
    if prod(token.shape) != position.added:
        raise Diagnostic(
            "the network does not take a token for each row of its state",
            expected=f"{position.added} tokens",
            found=f'input "{token.name}" of shape {list(token.shape)}',
            remedy="export the network with its embedding inside of it",
        )
    vocabulary = token.limits[1] + 1 if token.limits else 0
    return Language(token, position, position.rows, vocabulary, function, masks=masks)


def module_language(module: ModuleOp) -> Language:
    """Return the inputs of a module's language model. Raises Diagnostic where it is no language model with state."""
    has_prefill = symbol_in(module, PREFILL) in symbol_names(module.body.block)
    several = network_inputs(module, PREFILL) if has_prefill else []
    return language_of(network_inputs(module), several)


def folder_language(network: HostNetwork) -> Language:
    """Return the inputs of a compiled language model. Raises Diagnostic where it is no language model with state."""
    several = host_inputs(network, PREFILL) if network.has(PREFILL) else []
    return language_of(host_inputs(network), several)


def check_prompt(language: Language, prompt: Sequence[int], count: int) -> None:
    """Raise Diagnostic for a prompt that is empty or has unknown tokens, and for more tokens than the state holds."""
    if not prompt:
        raise Diagnostic("the prompt is empty", expected="one token at least")
    wrong = [token for token in prompt if token < 0 or (language.vocabulary and token >= language.vocabulary)]
    if wrong:
        raise Diagnostic(
            "the prompt holds a token that the network does not know",
            expected=f"tokens from 0 to {language.vocabulary - 1}" if language.vocabulary else "tokens from 0 on",
            found=str(wrong[0]),
        )
    # The last token is given out, not taken in.
    rows = len(prompt) + max(count, 1) - 1
    if rows > language.context:
        raise Diagnostic(
            "the context is longer than the state",
            expected=f"{language.context} tokens at most",
            found=f"{len(prompt)} of the prompt and {count} more, of which all but the last are taken in",
            remedy=f"give --context {rows} or more",
        )


def generate(
    run: Run,
    language: Language,
    prompt: Sequence[int],
    count: int,
    *,
    taken: int = 0,
    progress: Callable[[int], None] = lambda token: None,
) -> list[int]:
    """
    Return `count` tokens that follow a prompt, each of the greatest score, the first of equal ones.

    As much of the prompt as fills calls for several tokens is taken in by these. The state is reset before, unless it
    holds the first `taken` tokens of the prompt. `each` is called with the number of tokens that are taken in, after
    each call. Raises Diagnostic for what `check_prompt` refuses.
    """
    check_prompt(language, prompt, count)
    if not taken:
        run.reset()
    tokens = list(prompt)
    consumed = taken
    while len(tokens) < len(prompt) + count:
        several = language.prompt
        form = several if several is not None and len(tokens) - consumed >= several.count else language
        scores = scores_after(run, form, tokens[consumed : consumed + form.count], consumed)
        consumed += form.count
        progress(consumed)
        if consumed == len(tokens):
            tokens.append(int(np.argmax(scores)))
    return tokens[len(prompt) :]


def scores_after(run: Run, language: Language, tokens: Sequence[int], position: int) -> Array:
    """Return the scores of the tokens that may follow the last one."""
    inputs = {
        language.token.name: np.array(tokens, np.int64).reshape(language.token.shape),
        language.position.name: np.full(language.position.shape, position, np.int64),
        **{mask.name: np.ones(mask.shape, np.int64) for mask in language.masks},
    }
    outputs = run(inputs, function=language.function)
    if len(outputs) != 1:
        raise Diagnostic(
            "the network gives more than scores", expected="one output", found=", ".join(outputs) or "none"
        )
    return next(iter(outputs.values())).reshape(language.count, -1)[-1]


# The command `tilewright generate`


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of `tilewright generate`, those that describe the model aside."""
    add = parser.add_argument
    add("model", type=path_of, metavar="MODEL|DIR", help="a network for one token, or a folder that compile wrote")
    add("--prompt", type=_tokens, required=True, metavar="1,2,3", help="the tokens to begin with")
    add("--tokens", type=_count, default=16, metavar="N", help="how many tokens to add (16)")
    add("--on", metavar="PLACE", help="interpreter, host, sanitizers, rv32 or spike (host)")


def _tokens(text: str) -> list[int]:
    try:
        return [int(word) for word in text.split(",") if word.strip()]
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"tokens are numbers with commas between them, not '{text}'") from error


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a number of tokens is a positive integer, not '{text}'")
    return int(text)


def run(options: argparse.Namespace, network: Run, language: Language, place: str, taken: int = 0) -> int:
    """
    Print the tokens that follow the prompt, and to standard error how fast they came.

    The network's state holds the first `taken` tokens of the prompt.
    """
    from rich.console import Console
    from rich.progress import Progress

    check_prompt(language, options.prompt, options.tokens)
    status = Console(stderr=True)
    total = len(options.prompt) + options.tokens - 1 - taken
    start = time.perf_counter()
    with Progress(console=status, transient=True, disable=not status.is_terminal) as bar:
        task = bar.add_task("generating", total=total)
        generated = generate(
            network,
            language,
            options.prompt,
            options.tokens,
            taken=taken,
            progress=lambda done: bar.update(task, completed=done - taken),
        )
    rate = total / max(time.perf_counter() - start, 1e-9)
    print(",".join(str(token) for token in generated))
    prompt_length = len(options.prompt)
    kept = f" ({taken} of them kept)" if taken else ""
    print(
        f"{prompt_length} tokens in{kept}, {len(generated)} out, on {place}: {rate:,.1f} tokens a second",
        file=sys.stderr,
    )
    return 0
