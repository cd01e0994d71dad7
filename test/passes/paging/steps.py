"""Steps of a decoder of two layers on a paged pool: shapes, policies and inputs at random, at every level."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from xdsl.dialects.builtin import ModuleOp

from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.syntax.text import new_context, parse_module
from tilewright.dialects.core.verification.verifier import verify
from tilewright.dialects.paged.ops import PagedPoolOp
from tilewright.ir import Array
from tilewright.passes import all_passes
from tilewright.passes.core.pipeline import parse_pipeline
from tilewright.runtime.interpreter import Session
from tilewright.runtime.paged.config import HeadReduction, PoolConfig
from tilewright.runtime.paged.pool import Pool
from tilewright.test.machines.make import library
from tilewright.test.runtime.paged.pools import normal

CONTEXT = new_context()

SIZES = st.fixed_dictionaries(
    {
        "heads": st.sampled_from([1, 2, 3]),
        "kv_heads": st.sampled_from([1, 2]),
        "head_dim": st.sampled_from([8, 16]),
        "page_length": st.integers(1, 5),
        "tokens": st.sampled_from([1, 1, 2, 5]),
        "steps": st.integers(1, 9),
        "sinks": st.integers(0, 2),
        "recent": st.integers(0, 2),
        "free": st.integers(0, 3),
        "skip_layers": st.integers(0, 1),
        "reduce": st.sampled_from([reduction.name for reduction in HeadReduction]),
        "seed": st.integers(0, 2**32 - 1),
    }
)


def step_text(config: PoolConfig, tokens: int) -> str:
    """Return a function of a step in two layers; the queries of the second are the results of the first."""
    q, k = (f"tensor<{tokens}x{heads}x{config.head_dim}xf32>" for heads in (config.heads, config.kv_heads))
    sizes = ", ".join(f"{name} = {getattr(config, name)} : i64" for name in PagedPoolOp.SIZES)
    return f"""
paged.pool @kv {{{sizes}, scale = {config.scale:e} : f64}}
func.func @network(%position: tensor<1xi32>, %ids: tensor<{tokens}xi32>, %q: {q}, %k: {k}, %v: {k}) -> {q} {{
  paged.begin @kv at %position tokens %ids : tensor<1xi32>, tensor<{tokens}xi32>
  paged.append @kv layer 0 keys %k values %v : {k}, {k}
  %a = paged.attend @kv layer 0 queries %q : {q} -> {q}
  paged.append @kv layer 1 keys %v values %k : {k}, {k}
  %b = paged.attend @kv layer 1 queries %a : {q} -> {q}
  paged.commit @kv
  func.return %b : {q}
}}"""


def config_of(sizes: dict[str, Any]) -> PoolConfig:
    context = sizes["tokens"] * sizes["steps"]
    config = PoolConfig(
        layers=2,
        heads=sizes["heads"] * sizes["kv_heads"],
        kv_heads=sizes["kv_heads"],
        head_dim=sizes["head_dim"],
        page_length=sizes["page_length"],
        capacity=-(-context // sizes["page_length"]) * sizes["page_length"],
        context=context,
        memory=1 << 24,
        scale=0.5,
        budget_pages=sizes["sinks"] + sizes["recent"] + 1 + sizes["free"],
        sinks=sizes["sinks"],
        recent=sizes["recent"],
        skip_layers=sizes["skip_layers"],
        reduce=HeadReduction[sizes["reduce"]],
        sparse_prefill=True,
    )
    return replace(config, memory=config.working_set + 64 * config.slot * config.pages)


def lowered(config: PoolConfig, tokens: int, passes: str = "") -> ModuleOp:
    """Return a step after passes, on a machine of two levels."""
    module = parse_module(CONTEXT, step_text(config, tokens))
    attach_machine(module, library("two_level"))
    for step in parse_pipeline(passes, all_passes()).steps if passes else ():
        step.run.apply(CONTEXT, module)
        verify(module)
    return module


def expansion(config: PoolConfig) -> str:
    """Return the pass that expands attention by the policy of a configuration."""
    options = {"budget": config.budget_pages, "sinks": config.sinks, "recent": config.recent}
    options |= {"skip-layers": config.skip_layers, "reduce": config.reduce.name.lower().replace("_", "-")}
    return f"expand-paged-attend{{{' '.join(f'{name}={value}' for name, value in options.items())}}}"


def of_store(config: PoolConfig, tokens: int, calls: list[dict[str, Array]]) -> list[Array]:
    """Return the results of calls on a store whose own selection is that of the configuration."""
    session = Session(lowered(config, tokens))
    bind(session, config)
    return results_of(session, calls)


def bind(session: Session, config: PoolConfig) -> None:
    """Let a session run on a store of a configuration."""
    bound = session.storage("kv")
    bound.pool = Pool(config)
    bound.sequence = bound.pool.create()


def inputs_of(config: PoolConfig, tokens: int, steps: int, seed: int) -> list[dict[str, Array]]:
    rng = np.random.default_rng(seed)
    shapes = {"arg2": config.heads, "arg3": config.kv_heads, "arg4": config.kv_heads}
    calls: list[dict[str, Array]] = []
    for number in range(steps):
        call: dict[str, Array] = {"arg0": np.array([number * tokens], np.int32), "arg1": np.zeros(tokens, np.int32)}
        call |= {name: np.round(normal(rng, tokens, heads, config.head_dim)) for name, heads in shapes.items()}
        calls.append(call)
    return calls


def results_of(session: Session, calls: list[dict[str, Array]]) -> list[Array]:
    return [next(iter(session.run(call).values())) for call in calls]
