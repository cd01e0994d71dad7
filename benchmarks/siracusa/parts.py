"""The tables of published.py: published figures, the model of the published flow, and our modelled plans."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np
from rich.console import Console
from rich.progress import Progress
from rich.table import Table
from xdsl.dialects.builtin import ModuleOp

from tilewright.benchmarks.siracusa.bounds import bounds_of
from tilewright.benchmarks.siracusa.flow import Scenario, Times, l1_bytes, network_times
from tilewright.benchmarks.siracusa.library import Product
from tilewright.benchmarks.siracusa.measured import FILE, Row, is_older, rows_of
from tilewright.benchmarks.siracusa.operators import Operator, operators
from tilewright.benchmarks.siracusa.ours import (
    BUFFERED,
    MHZ,
    SCENARIOS,
    THEIR_LIMITS,
    Network,
    cold_cycles,
    cycles,
    overhead,
    simulated,
    state_steps,
)
from tilewright.compiler import Model

T = TypeVar("T")
Steps = Mapping[tuple[str, str], list[float]]
"""(scenario, flow or ours) -> cycles at the positions."""
MILLISECOND = MHZ * 1000
MLPERF = {
    "ds-cnn": (1.4, 0.39),
    "resnet8": (3.7, 0.60),
    "mobilenet-v1-025": (5.6, 0.69),
    "autoencoder": (0.24, 0.11),
}
"""Table III: network -> milliseconds on eight cores, and with the NPU and the weight memory."""
PUBLISHED_FILES = {"ds-cnn": "KeywordSpotting", "resnet8": "ImageClassification"}
LLAMA_FILE = "microLlama8"
FLOW_CORES, FLOW_NPU = Scenario(), Scenario(npu=True, weight_memory=True, strides=True)
FLOWS = {
    "one core": Scenario(cores=1),
    "eight cores": FLOW_CORES,
    "NPU": Scenario(npu=True),
    "NPU and weight memory": Scenario(npu=True, weight_memory=True),
}
TOKENS_PER_SECOND, STEPS_SECONDS, PROMPTS_SECONDS = 340, 0.75, 17.6
"""Section VI-D and Table II: tokens a second on average of 256 steps; all steps; as many prompts of 1 to 256 tokens."""
POSITIONS = (1, 64, 128, 192, 255)
CONTEXT = 256
BUCKETS = (0, 64, 32)
STATE_POSITIONS = (0, 127, 255)
BEST = "NPU and weight memory"


@dataclass
class Setting:
    """
    Options: printing, a folder for networks, and the corpus. Raises KeyError for a network that is not in Table III.
    """

    console: Console
    files: Mapping[str, Network]
    corpus: Path | None = None

    def __post_init__(self) -> None:
        for name in self.files:
            MLPERF[name]

    def of_corpus(self, name: str) -> Path | None:
        """Return a network's file in the corpus, None where it has none."""
        found = sorted(self.corpus.rglob(f"{name}/network.onnx")) if self.corpus else []
        return found[0] if found else None

    def track(self, items: Iterable[T], text: str) -> Iterator[T]:
        """Yield items with a bar of progress."""
        with Progress(console=self.console, transient=True) as progress:
            yield from progress.track(list(items), description=text)

    def mlperf(self) -> dict[str, tuple[str, Network]]:
        """Return the networks of MLPerf Tiny: shown name -> name in Table III, network."""
        networks: dict[str, tuple[str, Network]] = {}
        for name in MLPERF:
            if (file := self.of_corpus(PUBLISHED_FILES.get(name, "-"))) is not None:
                networks[f"{name}, Deeploy's"] = name, Network(file)
            networks[name] = name, self.files.get(name) or Network(zoo=name)
        return networks


@dataclass
class Part:
    """Findings of a part: of the `judged` claims those that fail, and errors of the flow's model."""

    broken: list[str] = field(default_factory=list[str])
    errors: list[float] = field(default_factory=list[float])
    judged: int = 0

    def judge(self, name: str, published: float, flow: float | None, ours: float | None) -> list[str]:
        """Return the cells flow, off, ours, faster, all modelled; less is better."""
        cells = ["-", "-"] if flow is None else [_number(flow), f"{flow / published - 1:+.0%}"]
        if flow is not None:
            self.errors.append(flow / published - 1)
        if ours is None:
            return [*cells, "-", "-"]
        self.judged += 1
        if ours >= published:
            self.broken.append(f"{name}: {_number(ours)} against {_number(published)}")
        return [*cells, _number(ours), f"{published / ours:.2f}x"]


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}" if value >= 100 else f"{value:.3f}"


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left")
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index else "left")
    return table


@cache
def _module(network: Network) -> ModuleOp:
    model = network.model()
    if isinstance(model, Path):
        return Model(model).load()
    from tilewright.frontend.importer import import_model

    return import_model(model)


def _flow(network: Network, scenario: Scenario) -> Times:
    return network_times(operators(_module(network)), scenario)


def _llama_operators(setting: Setting, *, position: int = 0, prompt: int = 0) -> list[Operator] | None:
    """Return the operators of the published Llama after so many tokens, or for so many at once."""
    file = setting.of_corpus("microLlama8" if position else "microLlama8_parallel")
    if file is None:
        return None
    extents = {8: position, 9: position + 1} if position else {8: prompt}
    return operators(_module(Network(file)), extents)


def mlperf(setting: Setting) -> Part:
    """Print Table III."""
    six = ("flow", "off", "code", "ours", "faster", "measured")
    title = (
        "MLPerf Tiny, milliseconds: published, Table III; flow and ours, with the time to fetch its code, modelled; "
        f"measured: the first call of ours on GVSoC ({FILE.name}), * before a change of the code"
    )
    table = _table(title, "network", "8 cores", *six, "with NPU", *six)
    part = Part()
    for name, (known, network) in setting.track(setting.mlperf().items(), "MLPerf Tiny"):
        row: list[str] = [name]
        scenarios = (("siracusa/cluster", FLOW_CORES), ("siracusa", FLOW_NPU))
        for published, (target, scenario) in zip(MLPERF[known], scenarios, strict=True):
            flow = _flow(network, scenario).total / MILLISECOND
            code = cold_cycles(network, target) / MILLISECOND
            ours = cycles(network, target) / MILLISECOND + code
            cells = part.judge(f"{name} ({target})", published, flow, ours)
            row += [str(published), *cells[:2], f"{code:.3f}", *cells[2:], _measured(name, known, target)]
        table.add_row(*row)
    setting.console.print(table)
    return part


GOALS = {
    "ds-cnn": (260_000, 45_000),
    "resnet8": (850_000, 105_000),
    "mobilenet-v1-025": (1_000_000, 110_000),
    "autoencoder": (40_000, 20_000),
}
"""Network -> cycles of later calls to be reached on eight cores, and with the NPU and the weight memory."""


def bounds(setting: Setting) -> Part:
    """Print lower bounds of cycles beside what was measured: how near programs are, and what is out of reach."""
    columns = ("target", "goal", "peak", "moved", "kernels", "measured", "of kernels", "of peak, moved")
    title = (
        "MLPerf Tiny, cycles: goal; lower bounds by peak rates and by bytes that must move, of any program, and by "
        f"whole kernels of ours, modelled; later calls measured on GVSoC ({FILE.name}), * before a change of the code"
    )
    table = _table(title, "network", *columns)
    for name, (known, network) in setting.track(setting.mlperf().items(), "bounds"):
        file = PUBLISHED_FILES.get(known, "") if name != known else known
        for target, goal in zip(("siracusa/cluster", "siracusa"), GOALS[known], strict=True):
            found, row = bounds_of(network, target), _row_of(file, target)
            hard = max(found.peak, found.moved)
            cells = [target, *(f"{value:,.0f}" for value in (goal, found.peak, found.moved, found.kernels))]
            if row is not None:
                mark = "" if row.warm <= goal else " over"
                cells += [
                    f"{row.warm:,}{_mark(row)}{mark}",
                    f"{row.warm / found.kernels:.2f}",
                    f"{row.warm / hard:.1f}",
                ]
            table.add_row(name, *cells)
    setting.console.print(table)
    return Part()


def _measured(name: str, known: str, target: str) -> str:
    """Return the milliseconds of a network's first call as measured, with `*` where the code has changed since."""
    file = PUBLISHED_FILES.get(known, "") if name != known else known
    row = _row_of(file, target)
    return "-" if row is None else f"{_number(row.first / MILLISECOND)}{_mark(row)}"


def _row_of(name: str, target: str) -> Row | None:
    """Return the measured row of a network of the zoo, or of that in a folder of the corpus, None where none ran."""
    found = (row for (network, on), row in rows_of().items() if network.split("/")[-1] == name and on == target)
    return next(found, None)


def _mark(row: Row) -> str:
    return "" if is_older(row.tilewright) is False else "*"


def print_llama_measured(console: Console) -> None:
    """Print the measured cycles of a step of the Llama after 8 tokens, beside the modelled ones."""
    rows = {name: _row_of(LLAMA_FILE, target) for name, target in SCENARIOS.items()}
    parts = [
        f"{name} {row.warm:,} ({row.modelled:,} modelled){_mark(row)}" for name, row in rows.items() if row is not None
    ]
    text = "; ".join(parts) or f"nothing, {FILE.name} has no row of it"
    console.print(
        f"Our plans above are modelled. Measured, cycles of a step of {LLAMA_FILE} after 8 tokens on GVSoC: {text}. "
        "* before a change of the code."
    )


def why(setting: Setting) -> Part:
    """Print an ablation of our plans against the flow: plans with fewer liberties."""
    columns = ("ops", "layers", "kernels, fusion", "overlap", "residency, L1", "ours", "moved kB", "ours kB", "waits")
    title = (
        "milliseconds from the flow to ours, modelled: the same tiles with our kernels; buffered twice; "
        "all of L1, kept there"
    )
    table = _table(title, "network", "flow", *columns)
    runs = [
        (name, network, target, scenario)
        for name, (_, network) in setting.mlperf().items()
        for target, scenario in (("siracusa/cluster", FLOW_CORES), ("siracusa", FLOW_NPU))
    ]
    for name, network, target, scenario in setting.track(runs, "plans with less"):
        flow = _flow(network, scenario)
        single, buffered, ours = (simulated(network, target, plan) for plan in (THEIR_LIMITS, BUFFERED, ""))
        times = [flow.total, single.cycles, buffered.cycles, ours.cycles]
        steps = [f"{(after - before) / MILLISECOND:+.3f}" for before, after in pairwise(times)]
        moved = [sum(link.bytes_in + link.bytes_out for link in each.links) / 1000 for each in (single, ours)]
        counts = [str(len(operators(_module(network)))), str(len(ours.layers))]
        ends = [f"{times[-1] / MILLISECOND:.3f}", *(f"{size:,.0f}" for size in moved), f"{overhead(ours):.0%}"]
        table.add_row(f"{name}, {target}", f"{times[0] / MILLISECOND:.3f}", *counts, *steps, *ends)
    setting.console.print(table)
    return Part()


GVSOC = (
    ("step after 128, in L2, one core", 16_100, 128, 0, Scenario(cores=1, l1=0), "siracusa/one-core"),
    ("step after 128, in L2, eight cores", 3_100, 128, 0, Scenario(l1=0), "siracusa/cluster"),
    ("prompt of 64, 8,000 bytes of L1", 47_500, 0, 64, Scenario(l1=8_000), ""),
    ("prompt of 64, eight cores", 35_300, 0, 64, FLOWS["eight cores"], "siracusa/cluster"),
    ("prompt of 64, NPU", 28_600, 0, 64, FLOWS["NPU"], "siracusa/npu"),
    ("prompt of 64, NPU and weight memory", 28_300, 0, 64, FLOWS[BEST], "siracusa"),
    ("step after 64, NPU", 857, 64, 0, FLOWS["NPU"], "siracusa/npu"),
    ("step after 64, NPU and weight memory", 780, 64, 0, FLOWS[BEST], "siracusa"),
)
"""Thousands of cycles of the microLlama on GVSoC (Deeploy, docs/tutorials/introduction.md)."""


def gvsoc(setting: Setting) -> Part:
    """Print the cycles of the Llama that Deeploy's documentation gives."""
    table = _table(
        "thousands of cycles of the Llama; published: measured on GVSoC; flow and ours: modelled",
        *("what", "published", "flow", "off", "ours", "faster"),
    )
    part = Part()
    for name, published, position, prompt, scenario, target in setting.track(GVSOC, "GVSoC"):
        theirs = _llama_operators(setting, position=position, prompt=prompt)
        flow = None if theirs is None else network_times(theirs, scenario).total / 1000
        network = Network(position=position, prompt=prompt)
        ours = (cycles(network, target) + _llama_code()) / 1000 if target else None
        table.add_row(name, f"{published:,}", *part.judge(name, published, flow, ours))
    setting.console.print(table)
    print_llama_measured(setting.console)
    return part


def _llama_code() -> float:
    """Return the cycles to fetch the code of a step once, which is alike at all positions."""
    return cold_cycles(Network(position=128), SCENARIOS[BEST])


ARENAS = {
    "ds-cnn, Deeploy's": (23_104, 36_992, 13_312),
    "resnet8, Deeploy's": (54_784, 62_768, 49_152),
    "mobilenet-v1-025": (63_730, 63_984, 59_904),
    "autoencoder": (63_696, 63_584, 5_888),
    "step after 1": (18_752, 37_504, 2_368),
    "step after 128": (18_752, 37_504, 16_512),
    "prompt of 64": (64_000, 64_000, 64_000),
}
"""
Bytes of L1 that Deeploy (bf64cfae) reports with --l1=64000: on eight cores; there with --doublebuffer; with the weight
memory, no strides.
"""


def arenas(setting: Setting) -> Part:
    """Print the L1 arenas of the flow's tiles, compared with those that Deeploy chooses."""
    table = _table("bytes of L1", "network", "8 cores", "flow", "buffered twice", "flow", "weight memory", "flow")
    scenarios = (FLOW_CORES, replace(FLOW_CORES, stages=2), FLOWS[BEST])
    networks = setting.mlperf()
    for name, published in ARENAS.items():
        if name in networks:
            theirs = operators(_module(networks[name][1]))
        else:
            what, tokens = name.rsplit(" ", 1)
            theirs = _llama_operators(setting, **{"prompt" if "prompt" in what else "position": int(tokens)})
        if theirs is None:
            continue
        flow = [l1_bytes(theirs, scenario) for scenario in scenarios]
        table.add_row(name, *(f"{size:,}" for pair in zip(published, flow, strict=True) for size in pair))
    setting.console.print(table)
    return Part()


def llama(setting: Setting) -> Part:
    """Print steps in all scenarios, and the sums over 256 steps and 256 prompts."""
    names = [name for name in FLOWS if name != "one core"]
    table = _table(
        "a step of the Llama, thousands of modelled cycles", "after", *_pairs(names), "flow's overhead", "our waits"
    )
    steps: dict[tuple[str, str], list[float]] = {}
    for position in setting.track(POSITIONS, "steps"):
        theirs = _llama_operators(setting, position=position)
        row = [f"{position} tokens"]
        for name in names:
            ours = simulated(Network(position=position), SCENARIOS[name])
            flow = network_times(theirs, FLOWS[name]).total if theirs else float("nan")
            steps.setdefault((name, "flow"), []).append(flow)
            steps.setdefault((name, "ours"), []).append(ours.cycles)
            row += [f"{flow / 1000:,.0f}", f"{ours.cycles / 1000:,.0f}"]
        shown = "-" if theirs is None else f"{network_times(theirs, FLOWS[BEST]).overhead:.0%}"
        table.add_row(*row, shown, f"{overhead(simulated(Network(position=position), SCENARIOS[BEST])):.0%}")
    setting.console.print(table)
    setting.console.print(_with_state(setting))
    prompts: dict[str, list[float]] = {"flow": [], "ours": []}
    sizes = (2, *POSITIONS[1:])
    for tokens in setting.track(sizes, "prompts"):
        theirs = _llama_operators(setting, prompt=tokens)
        prompts["flow"].append(network_times(theirs, FLOWS[BEST]).total if theirs else float("nan"))
        prompts["ours"].append(cycles(Network(prompt=tokens), SCENARIOS[BEST]))
    return _sums(setting, steps, prompts, sizes)


def _with_state(setting: Setting) -> Table:
    """Return a table of steps of one program for all positions, without buckets and with them."""
    title = f"a step with --context {CONTEXT}, NPU and weight memory, thousands of modelled cycles"
    table = _table(title, "position", *map(str, STATE_POSITIONS))
    for bucket in setting.track(BUCKETS, "steps with state"):
        found = state_steps(Network(position=64), SCENARIOS[BEST], CONTEXT, bucket, STATE_POSITIONS)
        name = f"--bucket {bucket}" if bucket else "one function"
        table.add_row(name, *(f"{count / 1000:,.0f}" for count in found))
    alone = [cycles(Network(position=at), SCENARIOS[BEST]) for at in STATE_POSITIONS if at]
    table.add_row("exported for it", "-", *(f"{count / 1000:,.0f}" for count in alone))
    return table


def _pairs(names: Iterable[str]) -> list[str]:
    return [f"{name}{who}" for name in names for who in (", flow", ", ours")]


def _mean(positions: Sequence[int], values: Sequence[float]) -> float:
    """Return the mean over positions, between which values are taken to lie on lines."""
    return float(np.trapezoid(values, positions)) / (positions[-1] - positions[0])


def _sums(setting: Setting, steps: Steps, prompts: Mapping[str, list[float]], sizes: Sequence[int]) -> Part:
    """Print the totals over steps and prompts beside section VI-D, VI-E and Table II."""
    part = Part()
    has_flow = not np.isnan(prompts["flow"][0])
    mean = {key: _mean(POSITIONS, values) for key, values in steps.items()}
    cold = {"flow": 0.0, "ours": _llama_code()}
    mean = {key: value + cold[key[1]] for key, value in mean.items()}
    seconds = {who: 256 * mean[BEST, who] / MHZ / 1e6 for who in ("flow", "ours")}
    all_prompts = {who: 256 * _mean(sizes, values) / MHZ / 1e6 for who, values in prompts.items()}
    title = "256 tokens, NPU and weight memory; flow and ours modelled, ours with its code fetched once at each step"
    table = _table(title, "what", "published", "flow", "off", "ours", "faster")
    for name, published, found in (
        ("seconds for all steps", STEPS_SECONDS, seconds),
        ("seconds for prompts of 1 to 256 tokens", PROMPTS_SECONDS, all_prompts),
    ):
        flow = found["flow"] if has_flow else None
        table.add_row(name, f"{published}", *part.judge(name, published, flow, found["ours"]))
    ratios: dict[str, tuple[str, Callable[[str], float]]] = {
        "tokens a second": (str(TOKENS_PER_SECOND), lambda who: 256 / seconds[who]),
        "prompts against steps": ("23", lambda who: all_prompts[who] / seconds[who]),
        "NPU against eight cores": ("1.19", lambda who: mean["eight cores", who] / mean[BEST, who]),
        "kcycles that the weight memory saves": ("70", lambda who: (mean["NPU", who] - mean[BEST, who]) / 1000),
    }
    for name, (published, ratio) in ratios.items():
        table.add_row(name, published, f"{ratio('flow'):.3g}" if has_flow else "-", "", f"{ratio('ours'):.3g}", "")
    setting.console.print(table)
    print_llama_measured(setting.console)
    part.judged += 1
    if 256 / seconds["ours"] <= TOKENS_PER_SECOND:
        part.broken.append(f"tokens a second: {256 / seconds['ours']:.0f} against {TOKENS_PER_SECOND}")
    return part


def linear(setting: Setting) -> Part:
    """Print linear layers of the Llama for a sequence (Fig. 6), and the overhead of an encoder."""
    columns = [f"{what}{who}" for what in ("8 cores", "NPU", "weight memory") for who in (", flow", ", ours")]
    title = "linear layers, how many times faster; published: 6.2x, NPU 25x on large ones, weight memory 1.6x to 2.1x"
    table = _table(title, "tokens x layer", *columns, "our cycles")
    sizes = [(rows, depth, features) for rows in (1, 8, 32, 256) for depth, features in ((64, 256), (256, 64))]
    for rows, depth, features in setting.track(sizes, "linear layers"):
        product = Product(1, rows, depth, features)
        layer = Operator(
            "product",
            "",
            (rows, features),
            (rows * depth,),
            rows * features,
            depth * features,
            8 * features,
            product=product,
        )
        flow = [network_times([layer], scenario).total for scenario in FLOWS.values()]
        ours = [cycles(Network(linear=(rows, depth, features)), target) for target in SCENARIOS.values()]
        ratios = [f"{who[i] / who[i + 1]:.1f}x" for i in range(3) for who in (flow, ours)]
        table.add_row(f"{rows} x {depth} -> {features}", *ratios, f"{ours[-1]:,}")
    setting.console.print(table)
    encoder = _llama_operators(setting, prompt=32)
    found = simulated(Network(prompt=32), SCENARIOS[BEST])
    flow = f"{network_times(encoder, FLOWS[BEST]).overhead:.0%}" if encoder else "-"
    setting.console.print(
        f"overhead at 32 tokens at once: published 9 %, modelled: flow {flow}, ours {overhead(found):.1%}"
    )
    return Part()
