"""The training of a keyboard language model: AdamW with a cosine schedule, and its bits for each held-out byte."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from itertools import islice
from pathlib import Path
from pickle import UnpicklingError
from time import monotonic
from typing import Any

import numpy as np

from ....errors import Diagnostic
from ....files import write_bytes
from .._klm import DOCUMENT, KlmConfig
from .corpus import Corpus, batches, stream
from .network import initial, logits, pytorch

_WARM_UP = 100
_LAST_RATE = 0.02
"""The learning rate at the end of the schedule, of that at its start."""

_LONG_SHARE = 0.2
"""
Share of the steps, at the end, that see long windows: until then, tokens behind `length` are predicted badly.

Rotary embeddings say little of positions that were not trained: `klm-small` takes 4.2 bits a byte there before (1.8
among the first 512), and a tenth of the steps, with the small rates at the end, does not make up for it.
"""

_GLIMPSE = 32
"""Held-out windows of a file that are scored while the training runs."""


@dataclass(frozen=True)
class TrainingSchedule:
    """
    The steps of a training and the windows of one: `rows` of `length` tokens, `long` tokens in the last fifth.

    Both take as many tokens a step. `rate` is the largest learning rate; steps between reports are `every`.
    """

    steps: int
    rows: int
    length: int
    long: int
    rate: float
    seed: int
    every: int = 250

    def __post_init__(self) -> None:
        for name in ("steps", "rows", "length", "long", "every"):
            if getattr(self, name) < 1:
                found = f"{name} = {getattr(self, name)}"
                raise Diagnostic("a number of the training is too small", expected="1 at least", found=found)
        if self.rows * self.length % self.long:
            raise Diagnostic(
                "the tokens of a step do not fill windows of the last fifth",
                expected=f"rows * length: a multiple of long = {self.long}",
                found=f"{self.rows} * {self.length}",
            )

    @property
    def switch(self) -> int:
        """The first step with long windows."""
        return self.steps - round(self.steps * _LONG_SHARE)

    def rate_at(self, step: int) -> float:
        """Return the learning rate of a step: a linear warm-up, then half a cosine."""
        cosine = (1 + math.cos(math.pi * step / self.steps)) / 2
        return self.rate * min(1, (step + 1) / _WARM_UP) * (_LAST_RATE + (1 - _LAST_RATE) * cosine)

    def batches(self, documents: Sequence[str]) -> Iterator[np.ndarray]:
        """Yield the batch of each step."""
        yield from islice(batches(documents, self.rows, self.length, self.seed), self.switch)
        rows = self.rows * self.length // self.long
        yield from islice(batches(documents, rows, self.long, self.seed + 1), self.steps - self.switch)


@dataclass(frozen=True)
class Report:
    """The state of a training after `step` steps: bits a token since the last report, held-out bits a byte by file."""

    step: int
    tokens: int
    seconds: float
    training: float
    held_out: dict[str, float]


def train(
    config: KlmConfig,
    corpus: Corpus,
    schedule: TrainingSchedule,
    checkpoint: Path | None,
    report: Callable[[Report], None],
) -> dict[str, Any]:
    """
    Return trained weights by name; on one CPU thread they are the same for the same texts and schedule.

    Matrix products are in bfloat16, sums and weights in float32. At each report the state is saved to `checkpoint`, and
    a training goes on from the state that lies there, perhaps to another number of steps. Raises a Diagnostic for a
    state of another schedule or network.
    """
    torch = pytorch()
    weights = initial(config, schedule.seed)
    matrices = [weight for weight in weights.values() if weight.ndim > 1]
    norms = [weight for weight in weights.values() if weight.ndim == 1]
    groups = [{"params": matrices, "weight_decay": 0.1}, {"params": norms, "weight_decay": 0.0}]
    optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98), fused=True)
    first, before = _restored(torch, checkpoint, weights, optimiser, schedule)
    start = monotonic() - before
    total = 0.0
    for step, batch in enumerate(schedule.batches(corpus.training)):
        if step < first:
            continue
        for group in optimiser.param_groups:
            group["lr"] = schedule.rate_at(step)
        loss = _loss(torch, config, weights, batch)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(list(weights.values()), 1.0)
        optimiser.step()
        optimiser.zero_grad()
        total += loss.item()
        done = step + 1
        if done % schedule.every and done != schedule.steps:
            continue
        length = schedule.length if done < schedule.switch else schedule.long
        held_out = {
            name: bits(config, weights, documents, length, _GLIMPSE * schedule.length // length)
            for name, documents in corpus.held_out.items()
        }
        counted = (done - 1) % schedule.every + 1
        tokens = done * schedule.rows * schedule.length
        report(Report(done, tokens, monotonic() - start, total / counted / math.log(2), held_out))
        total = 0.0
        if checkpoint:
            state = {"weights": weights, "optimiser": optimiser.state_dict(), "schedule": _fixed(schedule)}
            _save(torch, checkpoint, {**state, "step": done, "seconds": monotonic() - start})
    return weights


def bits(
    config: KlmConfig, weights: dict[str, Any], documents: Sequence[str], length: int, most: int | None = None
) -> float:
    """
    Return the bits for each byte of documents, one after the other in windows of `length` tokens.

    A window knows nothing of what is before it. Tokens that begin a document are seen, and not scored. `most` windows
    are scored, evenly spread, in bfloat16; without it all, in float32.
    """
    torch = pytorch()
    tokens = stream(documents).astype(np.int64)
    starts = list(range(0, len(tokens) - 1, length))
    chosen = starts if most is None else starts[:: max(1, len(starts) // most)][:most]
    total, count = 0.0, 0
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=most is not None):
        for start in chosen:
            window = torch.from_numpy(tokens[start : start + length + 1])[None]
            targets = window[0, 1:]
            costs = torch.nn.functional.cross_entropy(
                logits(config, weights, window[:, :-1])[0].float(), targets, reduction="none"
            )
            scored = targets != DOCUMENT
            total += float(costs[scored].sum())
            count += int(scored.sum())
    return total / max(count, 1) / math.log(2)


def _loss(torch: Any, config: KlmConfig, weights: dict[str, Any], batch: np.ndarray) -> Any:
    tokens = torch.from_numpy(batch.astype(np.int64))
    with torch.autocast("cpu", torch.bfloat16):
        scores = logits(config, weights, tokens[:, :-1])
    return torch.nn.functional.cross_entropy(scores.float().flatten(0, 1), tokens[:, 1:].flatten())


def _save(torch: Any, file: Path, state: dict[str, Any]) -> None:
    data = BytesIO()
    torch.save(state, data)
    write_bytes(file, data.getvalue())


def _restored(
    torch: Any, file: Path | None, weights: dict[str, Any], optimiser: Any, schedule: TrainingSchedule
) -> tuple[int, float]:
    """Load a state that `train` saved, if there is one; return the steps and seconds that it took."""
    if file is None or not file.exists():
        return 0, 0.0
    try:
        state = torch.load(file, weights_only=True)
        shapes = {name: weight.shape for name, weight in state["weights"].items()}
        is_ours = state["schedule"] == _fixed(schedule) and shapes == {n: weight.shape for n, weight in weights.items()}
    except (EOFError, KeyError, RuntimeError, UnpicklingError) as error:
        raise _unreadable(file, "no state of a training") from error
    if not is_ours:
        raise _unreadable(file, "a state of another schedule or network")
    with torch.no_grad():
        for name, weight in weights.items():
            weight.copy_(state["weights"][name])
    optimiser.load_state_dict(state["optimiser"])
    return state["step"], state["seconds"]


def _fixed(schedule: TrainingSchedule) -> dict[str, Any]:
    """Return the fields of a schedule that a checkpoint fixes: all but the number of steps."""
    return {name: value for name, value in asdict(schedule).items() if name != "steps"}


def _unreadable(file: Path, found: str) -> Diagnostic:
    return Diagnostic(
        "the training cannot go on from the checkpoint",
        where=str(file),
        expected="the state of a training with the same options but for --steps",
        found=found,
        remedy="remove the file, or give the options that it was made with",
    )
