"""Reference pages of the passes: docstring, options, the pipelines with the pass, and an example from its tests."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from xdsl.passes import ModulePass

from tilewright.compiler import pipeline_of
from tilewright.dialects.core.machine.keys import documentation_of
from tilewright.dialects.core.machine.targets import machines
from tilewright.docs.site.links import ROOT
from tilewright.docs.site.text import GeneratedPage, block, code, docstring, summary, table, table_text
from tilewright.passes import own_passes
from tilewright.passes.core.options import option_infos
from tilewright.passes.core.statistics import Statistic

FOLDER = "reference/passes"
_REPOSITORY = "../../../"
"""The repository from a page in FOLDER."""
_LONGEST = 60
"""Lines of an example that a page shows; the test's own page has the rest."""


def pass_pages() -> Iterator[GeneratedPage]:
    """Yield a page for each pass of Tilewright and its targets, after one that lists them."""
    passes = {name: load() for name, load in own_passes().items()}
    yield GeneratedPage(f"{FOLDER}/index.md", _index(passes))
    for name, cls in passes.items():
        yield GeneratedPage(f"{FOLDER}/{name}.md", _page(name, cls), ((name, ""),))


def _index(passes: Mapping[str, type[ModulePass]]) -> str:
    rows = ((f"[{name}]({name}.md)", table_text(summary(cls)), _targets(name)) for name, cls in sorted(passes.items()))
    return f"""# Passes

The passes of Tilewright and its targets, and the targets in whose pipelines they are. `opt-tool --list-passes` lists
xDSL's as well.

{table(["pass", "what it does", "in the pipelines of"], rows)}
"""


def _targets(name: str) -> str:
    names, others = users().get(name, {}), {target for targets in users().values() for target in targets}
    return "all targets" if len(names) == len(others) else ", ".join(names)


@cache
def users() -> Mapping[str, Mapping[str, Sequence[str]]]:
    """Return for each pass the targets that run it, and in which phases."""
    phases: dict[str, dict[str, list[str]]] = {}
    for machine in machines().values():
        for step in pipeline_of(machine).steps if machine.phases else ():
            entry = phases.setdefault(step.name, {}).setdefault(machine.name, [])
            if step.phase not in entry:
                entry.append(step.phase)
    return phases


def _page(name: str, cls: type[ModulePass]) -> str:
    module = Path(cls.__module__.replace("tilewright.", "", 1).replace(".", "/") + ".py").as_posix()
    parts = [
        f"# {name}",
        _with_names(docstring(cls)),
        _options(name, cls),
        _statistics(cls),
        _pipelines(name),
        _example(name),
        "## Source",
        f"[`{module}`]({_REPOSITORY}{module})",
        _tests(name),
    ]
    return "\n\n".join(filter(None, parts)) + "\n"


def _with_names(text: str) -> str:
    """Return Markdown in which names of passes, outside of code, are code, which links to their pages."""
    names = "|".join(sorted((name for name in own_passes() if "-" in name), key=len, reverse=True))
    pattern = re.compile(rf"(^```.*?^```|`[^`]*`)|(?<![\w.-])({names})(?![\w-])", re.MULTILINE | re.DOTALL)
    return pattern.sub(lambda match: match[1] or f"`{match[2]}`", text)


def _options(name: str, cls: type[ModulePass]) -> str:
    infos = option_infos(cls)
    if not infos:
        return f"It has no options:\n\n{block(f'opt-tool f.mlir -p {name}', 'sh')}"
    texts = documentation_of(cls)
    meanings = [table_text(texts.get(info.name.replace("-", "_"), "")) for info in infos]
    header = ["option", "type", "default", *(["meaning"] if any(meanings) else [])]
    rows = [
        (code(info.name), info.type, code(info.default) or "required", *([meaning] if any(meanings) else []))
        for info, meaning in zip(infos, meanings, strict=True)
    ]
    return f"## Options\n\n{table(header, rows)}\n\n{block(_invocation(name, cls), 'sh')}"


def _invocation(name: str, cls: type[ModulePass]) -> str:
    infos = option_infos(cls)
    required = [info for info in infos if not info.default]
    shown = required or infos[:1]
    options = " ".join(f"{info.name}={info.default or '...'}" for info in shown)
    return f"opt-tool f.mlir --pass-pipeline='builtin.module({name}{{{options}}})'"


def _statistics(cls: type[ModulePass]) -> str:
    factories = {field.name: field.default_factory for field in dataclasses.fields(cls)}
    counters: dict[str, object] = {name: make() for name, make in factories.items() if callable(make)}
    rows = [
        (code(counter.name or name.replace("_", "-")), table_text(counter.description))
        for name, counter in counters.items()
        if isinstance(counter, Statistic)
    ]
    if not rows:
        return ""
    return f"## Counters\n\n`--mlir-pass-statistics` prints them.\n\n{table(['counter', 'of'], rows)}"


def _pipelines(name: str) -> str:
    entries = [
        f"[{target}](../targets/{target}.md) ({', '.join(phases)})" for target, phases in users().get(name, {}).items()
    ]
    return f"In the pipelines of {', '.join(entries)}." if entries else ""


@cache
def _lit_tests() -> Mapping[str, Sequence[str]]:
    """Return the lit tests by the words of their RUN lines, those with the shortest paths first."""
    by_word: dict[str, list[str]] = {}
    for file in sorted((ROOT / "test").rglob("*.mlir"), key=lambda file: (len(file.name), file)):
        runs = re.findall(r"^// RUN: (.*)", file.read_text(encoding="utf-8", errors="replace"), re.MULTILINE)
        for word in set(re.findall(r"[\w-]+", " ".join(runs))):
            by_word.setdefault(word, []).append(file.relative_to(ROOT).as_posix())
    return by_word


def tests_of(name: str) -> list[str]:
    """Return the lit tests that run a pass, those named after it first."""
    return sorted(_lit_tests().get(name, ()), key=lambda path: not Path(path).stem.startswith(name))


def _example(name: str) -> str:
    """Return the first op of the first test of a pass, with the RUN and CHECK lines before it."""
    tests = [path for path in tests_of(name) if "reject" not in path and "keeps" not in path and "errors" not in path]
    if not tests:
        return ""
    path = tests[0]
    lines = first_op((ROOT / path).read_text(encoding="utf-8", errors="replace"))
    shown = "\n".join([*lines[:_LONGEST], *(["// ..."] if len(lines) > _LONGEST else [])])
    return f"## Example\n\nFrom [`{path}`]({_REPOSITORY}{path}):\n\n{block(shown, 'mlir')}"


def first_op(text: str) -> list[str]:
    """Return the lines of a test up to the end of its first op at the top, its CHECK lines included."""
    lines = text.partition("// -----")[0].strip("\n").splitlines()
    end = next((number for number, line in enumerate(lines) if line.startswith("}")), len(lines) - 1)
    after = next((number for number, line in enumerate(lines[end + 1 :]) if not line.startswith("// CHECK")), 0)
    return lines[: end + 1 + after]


def _tests(name: str) -> str:
    tests = [path for path in tests_of(name) if Path(path).stem.startswith(name)] or tests_of(name)[:3]
    links = [f"- [`{path}`]({_REPOSITORY}{path})" for path in tests]
    return "Tests:\n\n" + "\n".join(links) if links else ""
