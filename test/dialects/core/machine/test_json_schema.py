"""The JSON Schema of machine files accepts what the compiler reads, and refuses what reading refuses."""

from __future__ import annotations

import inspect
import json
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tilewright.dialects.core.machine import schema
from tilewright.dialects.core.machine.attribute import machine_attr, machine_from_attr
from tilewright.dialects.core.machine.cost_table import cost_named, parameters_of
from tilewright.dialects.core.machine.json_schema import machine_schema
from tilewright.dialects.core.machine.keys import documentation_of, keys_of
from tilewright.dialects.core.machine.level import Level
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.machine.values import Cycles
from tilewright.discovery import TARGETS
from tilewright.errors import Diagnostic
from tilewright.test.docs.machines import SCHEMA, table_of
from tilewright.test.machines.faulty_files import FAULTS
from tilewright.test.machines.make import FILES, TWO_LEVEL

jsonschema: Any = pytest.importorskip("jsonschema", reason="pip install 'tilewright[test]'")

pytestmark = pytest.mark.quick

VALIDATOR = jsonschema.Draft7Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))


def faults(text: str) -> list[str]:
    return [fault.message for fault in VALIDATOR.iter_errors(tomllib.loads(text))]


def test_it_is_a_schema():
    jsonschema.Draft7Validator.check_schema(VALIDATOR.schema)


@pytest.mark.parametrize(
    "file", [*sorted(TARGETS.glob("*/*.toml")), *FILES], ids=lambda file: f"{file.parent.name}/{file.stem}"
)
def test_machine_files_have_the_form(file: Path):
    assert faults(file.read_text(encoding="utf-8")) == []


UNSEEN = {
    'size = "9999999999GiB"': "a pattern sees no magnitude",
    "banks = 0x8000000000000000": "the most that an attribute holds is no limit of files",
    "rows = 4": "a file that includes another may have `size` from there",
    "energy = nan": "JSON has no such number",
    'level = { outs = "L1" }': "a file that includes another may have `ins` from there",
}


@pytest.mark.parametrize("edit", [*FAULTS], ids=[edit[1][:24] for edit in FAULTS])
def test_it_refuses_what_reading_refuses(edit: tuple[str, str], monkeypatch: pytest.MonkeyPatch):
    text = TWO_LEVEL.replace(edit[0], edit[1], 1)
    monkeypatch.setattr(schema, "check", lambda machine, problems: machine)  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
    try:
        schema.machine_from(tomllib.loads(text), "soc", "soc.toml")
        is_read = True
    except Diagnostic:
        is_read = False
    assert bool(faults(text)) != (is_read or edit[1] in UNSEEN)


def test_a_part_of_an_included_machine_may_be_left_out():
    assert (
        faults('include = "gemmini"\nengines.array = false\n[levels.DRAM]\nlatency = false\ndram = { cas = 3 }\n') == []
    )
    assert faults('include = "gemmini"\n[levels.DRAM]\nlatncy = 3\n') != []


def test_costs_have_their_parameters():
    definition = VALIDATOR.schema["definitions"]["runs gemmini.array"]
    assert parameters_of("gemmini.array").keys() <= definition["properties"].keys()
    assert definition["description"] == inspect.getdoc(cost_named("gemmini.array"))


@dataclass(frozen=True)
class Refreshed(Level):
    """Memory level with one key more."""

    refresh: Cycles = 0
    """Cycles between refreshes; 0: none."""


def test_an_added_key_is_one_field(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setitem(Machine.__annotations__, "levels", tuple[Refreshed, ...])
    keys_of.cache_clear()
    text = TWO_LEVEL.replace("banks = 16", "banks = 16\nrefresh = 8", 1)
    try:
        machine = schema.machine_from(tomllib.loads(text), "soc", "soc.toml")
        assert [getattr(level, "refresh") for level in machine.levels] == [0, 8]
        assert schema.table_of(machine)["levels"]["L1"]["refresh"] == 8
        assert machine_from_attr(machine_attr(machine)) == machine
        with pytest.raises(Diagnostic, match=r"levels\.L1\.refresh: expected an integer of at least 0, found -1"):
            schema.machine_from(tomllib.loads(text.replace("refresh = 8", "refresh = -1")), "soc", "soc.toml")
        described = machine_schema()["definitions"]["Refreshed"]["properties"]["refresh"]
        assert described["description"] == documentation_of(Refreshed)["refresh"]
        assert "| `refresh` | cycles | 0 | Cycles between refreshes; 0: none. |" in table_of(Refreshed)
    finally:
        keys_of.cache_clear()
        machine_from_attr.cache_clear()
