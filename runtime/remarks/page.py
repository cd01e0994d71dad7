"""Remarks as a self-contained HTML page: what they are about by cost, each with its remarks by pass."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial
from html import escape
from itertools import groupby
from pathlib import Path

from ...passes.core.remarks import KINDS, Remark
from ..html_table import Markup, link, table
from .subjects import RemarkSubject, subjects_of

_TEMPLATE = Path(__file__).with_name("page.html")


def page_of(remarks: Sequence[Remark], title: str) -> str:
    """Return the page; `title` names the program."""
    subjects = subjects_of(remarks)
    total = sum(subject.cycles for subject in subjects)
    passes = dict.fromkeys(remark.pass_name for remark in remarks)
    sections = [_subject(subject, number, total) for number, subject in enumerate(subjects)]
    parts = {
        "title": escape(title),
        "counts": "".join(map(partial(_count, remarks), KINDS)),
        "passes": "".join(map("<option>{}</option>".format, map(escape, passes))),
        "index": _index(subjects, total),
        "subjects": "".join(sections),
    }
    page = _TEMPLATE.read_text(encoding="utf-8")
    for name, text in parts.items():
        page = page.replace("{{" + name + "}}", text)
    return page


def _count(remarks: Iterable[Remark], kind: str) -> str:
    """Return the switch of a kind, with the number of its remarks."""
    number = sum(remark.kind == kind for remark in remarks)
    switch = f'<input type="checkbox" name="kind" value="{kind}" checked>'
    return f'<label class="switch {kind}">{switch} <b>{number:,}</b> {kind}</label>'


def _index(subjects: Sequence[RemarkSubject], total: int) -> str:
    """Return the table of subjects with a link to each, those of the most cycles first."""
    rows: list[Sequence[object]] = []
    order = sorted(range(len(subjects)), key=lambda number: -subjects[number].cycles)
    for number in order:
        subject = subjects[number]
        bar = Markup(f'<i class="bar" style="width:{100 * subject.cycles / max(total, 1):.1f}%"></i>')
        share = Markup(f"{_cycles(subject)}{bar}")
        counts = [subject.count(kind) or "" for kind in KINDS]
        rows.append((link(f"s{number}", subject.title), ", ".join(subject.ops), share, *counts))
    heads = ("about", "ops", "cycles", *KINDS)
    return table(heads, rows, numeric=range(2, len(heads)))


def _cycles(subject: RemarkSubject) -> str:
    return f"{subject.cycles:,}" if subject.cycles else ""


def _subject(subject: RemarkSubject, number: int, total: int) -> str:
    """Return the section of a subject, with a block for each pass."""
    share = f", {subject.cycles / total:.1%}" if subject.cycles else ""
    cost = f"{subject.cycles:,} cycles modelled{share}" if subject.cycles else ""
    where = f"in @{subject.function}" if subject.function else ""
    facts = " · ".join(filter(None, (", ".join(subject.ops), where, cost)))
    passes = groupby(subject.remarks, lambda remark: (remark.pass_number, remark.pass_name))
    blocks = "".join(_block(name, place, list(group)) for (place, name), group in passes)
    head = f'<h2>{escape(subject.title)}</h2><p class="soft">{escape(facts)}</p>'
    return f'<section class="card" id="s{number}" data-cycles="{subject.cycles}">{head}{blocks}</section>\n'


def _block(name: str, place: int, remarks: Sequence[Remark]) -> str:
    times = Counter(_key(remark) for remark in remarks)
    distinct = {_key(remark): remark for remark in reversed(remarks)}
    rows = "".join(_remark(remark, times[key]) for key, remark in reversed(distinct.items()))
    head = f'<h3>{escape(name)} <span class="soft">pass {place}</span></h3>'
    return f'<div class="pass" data-pass="{escape(name)}">{head}{rows}</div>'


def _key(remark: Remark) -> tuple[str, str, str, str]:
    """Return the shown parts of a remark, by which equal ones of a kernel's parts are merged."""
    return remark.kind, remark.name, remark.op, remark.message


def _remark(remark: Remark, times: int) -> str:
    """Return a remark that came some times, with its arguments to unfold."""
    kind = escape(remark.kind)
    head = f'<span class="kind">{kind}</span> <b>{escape(remark.name)}</b> <code>{escape(remark.op)}</code>'
    text = f"{head} {escape(remark.message)}" + (f' <span class="soft">{times} times</span>' if times > 1 else "")
    if not remark.arguments:
        return f'<div class="remark {kind}" data-kind="{kind}">{text}</div>'
    rows = [(name, json.dumps(value, ensure_ascii=False)) for name, value in remark.arguments.items()]
    data = f"<details><summary>{text}</summary>{table((), rows)}</details>"
    return f'<div class="remark {kind}" data-kind="{kind}">{data}</div>'
