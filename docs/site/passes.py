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
from tilewright.docs.site.examples import example_of, lit_tests_of
from tilewright.docs.site.text import GeneratedPage, block, code, docstring, page_file, summary, table, table_text
from tilewright.passes import own_passes
from tilewright.passes.core.options import option_infos
from tilewright.passes.core.statistics import Statistic

FOLDER = "reference/passes"
_REPOSITORY = "../../../"
"""The repository from a page in FOLDER."""
_LONGEST = 60
"""Lines of an example that a page shows; the test's page has the rest."""


def pass_pages() -> Iterator[GeneratedPage]:
    """Yield a page for each pass of Tilewright and its targets, after one that lists them."""
    passes = {name: load() for name, load in own_passes().items()}
    yield GeneratedPage(f"{FOLDER}/index.md", _index(passes))
    for name, cls in passes.items():
        yield GeneratedPage(f"{FOLDER}/{page_file(name)}", _page(name, cls), ((name, ""),))


def _index(passes: Mapping[str, type[ModulePass]]) -> str:
    rows = (
        (f"[{name}]({page_file(name)})", table_text(summary(cls)), _targets(name))
        for name, cls in sorted(passes.items())
    )
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
    phases = users().get(name, {})
    entries = [f"[{target}](../targets/{page_file(target)}) ({', '.join(names)})" for target, names in phases.items()]
    return f"In the pipelines of {', '.join(entries)}." if entries else ""


def _example(name: str) -> str:
    """Return a program of a pass's test, and what it becomes."""
    example = example_of(name)
    if example is None:
        return ""
    link = f"[`{example.path}`]({_REPOSITORY}{example.path})"
    parts = ["## Example", f"A program of {link}:", _program(example.before)]
    if example.after:
        parts += [f"By {code(example.command)} it becomes", _program(example.after)]
    else:
        parts.append(f"The test runs {code(example.command)} and checks the output.")
    return "\n\n".join(parts)


def _program(text: str) -> str:
    """Return a program as code, of a long one the first lines."""
    lines = text.splitlines()
    rest = [f"// {len(lines) - _LONGEST} more lines"] if len(lines) > _LONGEST else []
    return block("\n".join([*lines[:_LONGEST], *rest]), "mlir")


def _tests(name: str) -> str:
    tests = [path for path in lit_tests_of(name) if Path(path).stem.startswith(name)] or lit_tests_of(name)[:3]
    links = [f"- [`{path}`]({_REPOSITORY}{path})" for path in tests]
    return "Tests:\n\n" + "\n".join(links) if links else ""
