"""
Print figures of the package's sources: sizes, packages, circles of imports, classes, names, hidden state, a walk.

    python test/house.py                    # all sections
    python test/house.py circles state      # two of them
    python test/house.py functions --list   # with each place that counts
    python test/house.py --json             # everything, for a program

| section   | figures |
|-----------|---------|
| sizes     | files, lines, code lines (no docstring, import, comment or blank line) and functions of packages |
| packages  | the packages that each one imports, at two levels; imports against the order of test/import_graph.py |
| circles   | sets of modules that import each other: for types and in functions too; users of the machine model |
| classes   | those of the planner's and the simulator's packages, and those named after one of four concepts |
| functions | functions of more than 50 lines; private helpers that their module names once |
| names     | class names defined more than once; locals named found, each, made, known, given or held |
| dense     | statements with several comprehensions, and with one in another |
| state     | calls of `id`, and of `vars` whose result is indexed or asked: state that no type declares |
| walk      | modules in which a function reached from `plan_memory` holds a `Machine` (test/machine_walk.py) |

Sources are read by `ast` alone: nothing is imported. test/test_house.py limits some of the figures.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from textwrap import wrap

from tilewright.test.figures import CONCEPTS, FIGURES, MODEL, ROOMS, Size, Survey, packages, survey, users
from tilewright.test.import_graph import circles, sources, upward
from tilewright.test.machine_walk import walk


def as_data(result: Survey) -> dict[str, object]:
    """Return all figures with their places, as JSON takes them."""
    repeated = {name: list(map(str, places)) for name, places in result.repeated_classes.items()}
    return {
        "counts": result.counts(),
        "sizes": {name: asdict(size) for name, size in sorted(result.sizes.items())},
        "packages": [{name: sorted(others) for name, others in packages(result, levels).items()} for levels in (1, 2)],
        "circles": result.circles,
        "upward": upward(result.graph),
        "users of the machine model": users(result.graph, MODEL),
        "class names defined twice": repeated,
        **{figure: list(map(str, result.places[figure])) for figure in FIGURES},
        "walk": result.walk._asdict(),
    }


SECTIONS: Mapping[str, Sequence[str]] = {
    "sizes": (),
    "packages": ("circles of packages", "imports upward"),
    "circles": ("circles of modules", "modules in circles", "users of the machine model"),
    "classes": (
        *(f"classes of {room}" for room in ROOMS),
        "classes of these packages",
        *(f"classes named {concept}" for concept in CONCEPTS),
    ),
    "functions": ("long functions", "helpers named once"),
    "names": ("class names defined twice", "vague locals"),
    "dense": ("several comprehensions", "nested comprehensions"),
    "state": ("calls of id", "state in vars"),
    "walk": ("modules with a machine", "modules with an object of it"),
}
"""Section -> its figures that are one number."""


def places_of(result: Survey, figure: str) -> list[str]:
    """Return a line for each place that counts for a figure."""
    match figure.split(" of ")[-1], figure.split(" named ")[-1]:
        case "packages", _:
            return [" <-> ".join(sorted(names)) for names in circles(packages(result, 2))]
        case "modules", _:
            return [" <-> ".join(names) for names in result.circles]
        case "the machine model", _:
            return users(result.graph, MODEL)
        case room, _ if room in ROOMS:
            return list(map(str, result.classes_in(room)))
        case _, concept if concept in CONCEPTS:
            return list(map(str, result.classes_of(concept)))
        case "class names defined twice", _:
            return [f"{n}: {', '.join(map(str, places))}" for n, places in result.repeated_classes.items()]
        case "modules with a machine", _:
            return result.walk.machine
        case "it", _:
            return result.walk.objects
        case "imports upward", _:
            return [f"{name} -> {other}" for name, other in upward(result.graph)]
        case _:
            return list(map(str, result.places[figure]))


def lines_of(result: Survey, section: str, listed: bool) -> Iterator[str]:
    """Yield the lines of a section; with `listed` each place that counts."""
    yield section
    if section == "sizes":
        total = Size()
        for name, size in (*sorted(result.sizes.items()), ("all", total)):
            yield f"  {name:28}{size.files:6} files{size.lines:8} lines{size.code:8} code{size.functions:6} functions"
            for figure, value in asdict(size).items() if size is not total else ():
                setattr(total, figure, getattr(total, figure) + value)
    for levels in (1, 2) if section == "packages" else ():
        arrows = packages(result, levels)
        texts = [f"{name or 'root'} -> {' '.join(sorted(others))}" for name, others in arrows.items()]
        for text in texts + [f"in a circle: {' '.join(sorted(names))}" for names in circles(arrows)]:
            yield from wrap(text, 110, initial_indent="  ", subsequent_indent=" " * 8)
    counts = result.counts()
    for figure in SECTIONS[section]:
        yield f"  {counts[figure]:6} {figure}"
        if listed or figure == "circles of modules":
            yield from (f"           {place}" for place in places_of(result, figure))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures of the package that holds this file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="section", help=f"one of {', '.join(SECTIONS)}; all by default")
    parser.add_argument("--list", action="store_true", help="print each place that counts")
    parser.add_argument("--json", action="store_true", help="print all figures and places as JSON")
    options = parser.parse_args(arguments)
    if unknown := sorted(set(options.sections) - SECTIONS.keys()):
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    modules = sources()
    result = survey(modules)
    result.walk = walk(modules)
    if options.json:
        print(json.dumps(as_data(result), indent=1))
        return 0
    for section in options.sections or SECTIONS:
        print("\n".join(lines_of(result, section, options.list)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
