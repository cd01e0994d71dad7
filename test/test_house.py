"""Limits of the package's figures: a count may fall, and rises only where its limit here is raised."""

from __future__ import annotations

import json
import textwrap
from pathlib import Path

import pytest

from tilewright.test.figures import Survey, packages, survey
from tilewright.test.house import SECTIONS, main, places_of
from tilewright.test.import_graph import sources
from tilewright.test.machine_walk import walk

pytestmark = pytest.mark.quick

LIMITS = {
    "circles of modules": (0, "modules of a circle are read, tested and changed only together"),
    "circles of packages": (3, "a package of a circle has no place in the order in which the house is read"),
    "imports upward": (0, "a type that a lower package needs is defined in the lower one"),
    "users of the machine model": (83, "most passes need an engine, a level or a cost, not the whole machine"),
    "classes of these packages": (135, "planner, list scheduler and simulator share one tile and one clock"),
    "classes named tile": (29, "one geometry of tiles: another form of it has to agree with the first"),
    "classes named clock": (15, "one timeline: another clock has to wait by the same rules"),
    "classes named queue": (11, "one queue in order: another one has to count the same depths"),
    "classes named builder": (18, "one way to build ops: each other one is learnt anew"),
    "class names defined twice": (11, "one class name, one concept: a search for it ends at its definition"),
    "vague locals": (15, "a local named found, each, made, known, given or held does not say its role"),
    "long functions": (19, "a function of more than 50 lines does several things"),
    "several comprehensions": (44, "a statement of several comprehensions has to be taken apart to be read"),
    "nested comprehensions": (28, "a comprehension in another has a part without a name"),
    "calls of id": (52, "an object's identity is reused when it is gone: hash the object, or key by its content"),
    "state in vars": (3, "state that no class declares is found by no reader and no type checker"),
    "modules with a machine": (13, "a module that holds the machine may ask it anything"),
    "modules with an object of it": (19, "a module that holds a planner's object may ask its machine anything"),
}
"""Figure -> the highest count allowed, and why less is better. Lower it with the count."""


def exceeded(result: Survey) -> list[str]:
    """Return a text for each limit that a figure exceeds, with its places."""
    texts: list[str] = []
    for figure, count in result.counts().items():
        limit, why = LIMITS.get(figure, (count, ""))
        if count > limit:
            texts.append("\n  ".join([f"{count} {figure}, at most {limit}: {why}", *places_of(result, figure)]))
    return texts


@pytest.mark.long
def test_figures_keep_their_limits() -> None:
    result = survey(modules := sources())
    result.walk = walk(modules)
    failures = exceeded(result)
    assert not failures, "\n".join(failures)


def planted(root: Path, **texts: str) -> Survey:
    """Return the figures of a package `passes` of the modules with these texts."""
    for name, text in texts.items():
        file = root / "passes" / f"{name.replace('__', '/')}.py"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(textwrap.dedent(text), encoding="utf-8")
    return survey(sources(root, ["passes"]))


def test_planted_classes_and_state_are_counted(tmp_path: Path) -> None:
    before = planted(tmp_path, memory__a="class Clock:\n    pass").counts()
    text = """
        def _once(op):
            each = vars(op)["kernel"] = [[id(x) for x in y] for y in op]
            return each
        class Clock:
            held = _once(vars(0).get(1))
        class OperandTile: pass
        """
    result = planted(tmp_path, memory__b=text)
    grown = {figure: count - before[figure] for figure, count in result.counts().items() if count != before[figure]}
    assert grown == {
        "classes of passes.memory": 2,
        "classes of these packages": 2,
        "classes named tile": 1,
        "classes named clock": 1,
        "class names defined twice": 1,
        "helpers named once": 1,
        "vague locals": 2,
        "several comprehensions": 1,
        "nested comprehensions": 1,
        "calls of id": 1,
        "state in vars": 2,
    }
    result.classes *= 100
    (failure,) = (text for text in exceeded(result) if "classes named clock" in text)
    assert "passes.memory.b:5 Clock" in failure


def test_lines_functions_and_circles_are_counted(tmp_path: Path) -> None:
    long = "def f():\n" + "    x = 1\n" * 50
    text = f'"""Doc\nof two lines."""\nfrom ..c.d import g\n\n# why\n{long}'
    result = planted(tmp_path, a__b=text, c__d="if TYPE_CHECKING:\n    from ..a.b import f", c____init__="")
    assert (result.sizes["passes.a"].code, result.sizes["passes.a"].lines) == (51, 56)
    assert places_of(result, "long functions") == ["passes.a.b:6 f (51)"]
    assert places_of(result, "circles of modules") == ["passes.a.b <-> passes.c.d"]
    assert packages(result, 2) == {"passes.a": {"passes.c"}, "passes.c": {"passes.a"}}
    assert result.counts()["circles of packages"] == 1


FOLLOWED = {
    "a": """
        from .b import Plan
        def plan(machine: Machine):
            run(Plan(machine))
        def run(plan: Plan):
            return plan.cost + plan.parts[0].size
        """,
    "b": """
        from .c import Part, cost
        from .m import Machine
        class Plan:
            machine: Machine
            parts: list[Part]
            @property
            def cost(self) -> int: return cost(self.machine)
        """,
    "c": """
        from .d import Pair, shown
        from .m import Machine
        def cost(it: Machine | None): return it
        class Part:
            @property
            def size(self): return shown()
        """,
    "d": """
        from .b import Plan
        from .e import unused
        class Pair:
            pair: "Pair"
            plan: Plan
        def shown(pair: Pair): return lambda: pair
        """,
    "e": "def unused(machine): return machine",
    "m": "class Machine: pass",
}


def test_a_machine_is_followed_through_types(tmp_path: Path) -> None:
    planted(tmp_path, **FOLLOWED)
    entered = walk(sources(tmp_path, ["passes"]), ("passes.a", "plan"), ("passes.m", "Machine"))
    assert entered == (["passes.a", "passes.b", "passes.c"], ["passes.a", "passes.b", "passes.c", "passes.d"])


def test_the_command_prints_sections(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    planted(tmp_path, memory__a="class Clock:\n    pass", **FOLLOWED)
    modules = sources(tmp_path, ["passes"])
    entered = walk(modules, ("passes.a", "plan"), ("passes.m", "Machine"))
    monkeypatch.setattr("tilewright.test.house.sources", lambda: modules)
    monkeypatch.setattr("tilewright.test.house.walk", lambda _: entered)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    assert main(["classes", "walk", "--list"]) == 0
    out = capsys.readouterr().out
    assert "passes.memory.a:1 Clock" in out
    assert "passes.d" in out
    assert main(["--json"]) == 0
    counts = json.loads(capsys.readouterr().out)["counts"]
    assert {figure for figures in SECTIONS.values() for figure in figures} == counts.keys()
    assert LIMITS.keys() <= counts.keys()
    with pytest.raises(SystemExit):
        main(["rooms"])
