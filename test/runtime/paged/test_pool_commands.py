"""The commands `tilewright paged fsck` and `show`, and the example of docs/paged.md."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

import numpy as np
import pytest

from tilewright import cli
from tilewright.dialects.paged.ops import PoolShape
from tilewright.errors import Diagnostic
from tilewright.runtime.paged.native import NativePool
from tilewright.runtime.paged.pool import Pool
from tilewright.runtime.tools.generate_paged import store_config
from tilewright.runtime.tools.store_options import add_store_arguments, options_named
from tilewright.test.runtime.paged.pools import config, filled, step

PAGE = Path(__file__).parents[3] / "docs" / "paged.md"


def run(capsys: pytest.CaptureFixture[str], *words: str | Path) -> tuple[int, str, str]:
    code = cli.main([str(word) for word in words])
    out, err = capsys.readouterr()
    return code, out, err


def blocks(language: str) -> list[str]:
    """Return the blocks of the page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


def test_the_examples_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    names: dict[str, object] = {}
    commands = next(block for block in blocks("sh") if "paged fsck session" in block)
    for times in (1, 2):
        exec(blocks("python")[0], names)
        fsck, show = (run(capsys, *line.split()[1:]) for line in commands.splitlines())
        assert fsck == (0, "session: no faults\n", "")
        assert show[0] == 0
        assert re.search(rf"0 +│ {times * 81} +│.*on another machine\. ", show[1])
    exec(blocks("python")[1], names)
    policies = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert [policy for policy, *_ in policies] == ["lru", "clock", "belady"]
    assert min(policies, key=lambda words: int(words[2])) == policies[2]


def test_faults_are_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    shape = config(layers=1)
    with Pool(shape, tmp_path) as pool:
        filled(pool, 9)
        pool.save()
        code, _, err = run(capsys, "paged", "fsck", tmp_path)
        assert code == 1
        assert "another process has the folder open" in err
    for name, place in (("pages.tw", shape.slot + 70), ("pages.tw", 2 * shape.slot + 30), ("digests.tw", 3)):
        data = bytearray((tmp_path / name).read_bytes())
        data[place] ^= 1
        (tmp_path / name).write_bytes(data)
    code, out, err = run(capsys, "paged", "fsck", tmp_path)
    assert (code, err) == (1, "")
    assert out.splitlines() == [
        "digests.tw: row 0: checksum of the header",
        "pages.tw: row 0, layer 0, head 1: checksum of the payload",
        "pages.tw: row 1, layer 0, head 0: checksum of the header",
    ]
    (tmp_path / "pages.tw").unlink()
    assert run(capsys, "paged", "fsck", tmp_path)[1].splitlines() == [
        "pages.tw: it is missing",
        "digests.tw: row 0: checksum of the header",
    ]
    (tmp_path / "manifest.tw").write_bytes(b"TWMF")
    (line,) = run(capsys, "paged", "fsck", tmp_path)[1].splitlines()
    assert line.startswith("manifest.tw: the file is damaged: it ends early")


def test_show(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    text, zeros = b"[bold]\x1b[0m\n\xff", np.zeros((12, 2, 8), np.float32)
    monkeypatch.setenv("COLUMNS", "160")
    with Pool(config(layers=1, frames=8, max_sequences=4), tmp_path) as pool:
        pool.create()
        pool.begin(0, list(text))
        pool.append(0, zeros, zeros)
        pool.commit()
        step(pool, pool.fork(0), 9, 0)
        pool.create()
        pool.begin(2, [256, *b"Hi"])
        pool.append(0, zeros[:3], zeros[:3])
        pool.commit()
        pool.create()
        pool.begin(3, [257, 72])
        pool.append(0, zeros[:2], zeros[:2])
        pool.commit()
        pool.save()
    code, out, _ = run(capsys, "paged", "show", tmp_path)
    assert code == 0
    assert re.search(r"heads +4, of keys and values 2, of 8", out)
    assert re.search(r"page +4 tokens, 320 bytes in the file", out)
    assert re.search(r"rows in use +5, 5 ever filled", out)
    cells = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines() if line.startswith("│")]
    assert cells[0] == ["0", "12", "3", "0", "0", r"[bold]\x1b[0m\n\xff"]
    assert cells[1][:5] == ["1", "21", "5", "2", "128"]
    assert [cells[2][1], cells[2][5]] == ["3", "<256>Hi"]
    assert [cells[3][1], cells[3][5]] == ["2", "257 72"]


def store_error(*words: str) -> str:
    options = argparse.ArgumentParser()
    add_store_arguments(options)
    shape = PoolShape(layers=1, heads=4, kv_heads=2, head_dim=8, page_length=4, context=64, scale=0.5)
    try:
        with options_named():
            NativePool(store_config(shape, options.parse_args(words), bytes(32)))
    except Diagnostic as error:
        return str(error)
    raise AssertionError("the store opens")


def test_errors_name_options():
    fields = re.compile(r"(?<!-)\b(budget_pages|sinks|recent|skip_layers|memory is)\b")
    faults = {
        "--kv-budget 8 --kv-sinks 2": "more than 8 tokens: --kv-sinks 2 and --kv-recent 0",
        "--kv-sinks 5000000000": "bad value of --kv-sinks",
        "--kv-skip-layers 5000000000": "choose another --kv-skip-layers",
        "--kv-memory 1": "remedy:     give a greater --kv-memory, or a smaller --kv-budget or --context",
    }
    for words, expected in faults.items():
        text = store_error(*words.split())
        assert expected in text
        assert not fields.search(text)
        assert "---" not in text


def test_folders_without_a_store(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(capsys, "paged", "fsck", tmp_path) == (0, f"{tmp_path}: no faults\n", "")
    assert not list(tmp_path.iterdir())
    code, _, err = run(capsys, "paged", "show", tmp_path)
    assert code == 1
    assert "the folder has no manifest" in err
    assert "remedy" in err
    for command in ("fsck", "show"):
        code, _, err = run(capsys, "paged", command, tmp_path / "none")
        assert (code, "there is no such folder" in err) == (1, True)
