"""
Write the tables of keys in docs/machines.md, and docs/machine.schema.json, from the dataclasses of a machine's parts.

    python test/docs/machines.py           # writes both
    python test/docs/machines.py --check   # fails where one is not current

The page has a mark before each table, `<!-- keys: Level -->`. The text between tables is written by hand.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING
from pathlib import Path
from typing import cast

from tilewright.dialects.core.machine.clock import Clock
from tilewright.dialects.core.machine.engine import Engine, ProgramCosts, Stack
from tilewright.dialects.core.machine.json_schema import machine_schema
from tilewright.dialects.core.machine.keys import Key, PartForm, PartsForm, documentation_of, keys_of
from tilewright.dialects.core.machine.level import Dram, Level
from tilewright.dialects.core.machine.link import Link
from tilewright.dialects.core.machine.model import Machine
from tilewright.dialects.core.machine.operations import OpSupport
from tilewright.dialects.core.machine.schema import FILE_KEYS
from tilewright.dialects.core.machine.values import Expected
from tilewright.test.docs.generated import update

PAGE = Path(__file__).parents[2] / "docs" / "machines.md"
SCHEMA = PAGE.with_name("machine.schema.json")

PARTS: Mapping[str, type] = {
    part.__name__: part for part in (Machine, Clock, Level, Dram, Link, Engine, Stack, ProgramCosts, OpSupport)
}
MARK = r"<!-- keys: (\w+) -->"


def table_of(part: type) -> str:
    """Return the Markdown table of the keys of a part."""
    return "\n".join(["| key | value | default | meaning |", "|---|---|---|---|", *_rows(part)])


def _rows(part: type) -> Iterator[str]:
    for keyed in filter(None, (part, FILE_KEYS.get(part))):
        texts = documentation_of(keyed)
        for key in keys_of(keyed).values():
            yield f"| `{key.name}` | {_value(key)} | {_default(key)} | {_linked(texts[key.name])} |"


def _value(key: Key) -> str:
    match key.form:
        case PartForm():
            return "table"
        case PartsForm():
            return "tables"
        case form:
            return form.text


def _default(key: Key) -> str:
    """Return the default of a key; empty where the key cannot state it, since it is the absence of something."""
    if key.default is MISSING:
        return "required"
    if key.follows:
        return f"`{key.follows}`, or {key.default}"
    if isinstance(key.form, PartForm | PartsForm) or key.default in ("", ()):
        return ""
    value = key.form.write(key.default)
    try:
        key.form.read(value)
    except Expected:
        return ""
    return ", ".join(map(_shown, cast("list[object]", value if isinstance(value, list) else [value])))


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"`{value}`" if isinstance(value, str) else f"{value:g}"


def _linked(text: str) -> str:
    """Return a text whose names of pages, such as docs/hier.md#instructions, are links."""
    text = re.sub(r"docs/machines\.md#([\w-]+)", lambda match: f"[{match[1].replace('-', ' ')}](#{match[1]})", text)
    return re.sub(r"docs/([\w-]+\.md)(#[\w-]+)?", lambda match: f"[{match[1]}]({match[1]}{match[2] or ''})", text)


def with_tables(page: str) -> str:
    """Return a page with the table of keys after each mark. Raises KeyError for the mark of no part."""
    assert sorted(re.findall(MARK, page)) == sorted(PARTS), "a mark for each part"
    block = re.compile(rf"({MARK})\n\n(?:\|[^\n]*\n)*")
    return block.sub(lambda match: f"{match[1]}\n\n{table_of(PARTS[match[2]])}\n", page)


def schema_text(_: str = "") -> str:
    """Return the text of docs/machine.schema.json, which `tilewright targets --schema` prints."""
    return json.dumps(machine_schema(), indent=1, ensure_ascii=False) + "\n"


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the page and the schema, or check that they are current."""
    return max(update(PAGE, __doc__, with_tables, arguments), update(SCHEMA, __doc__, schema_text, arguments))


if __name__ == "__main__":
    sys.exit(main())
