"""Completion scripts: what bash makes of one, and what those of the other shells hold."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tilewright import cli
from tilewright.completion import SHELLS
from tilewright.runtime.tools.session import places

pytestmark = pytest.mark.quick


def script(shell: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert cli.main(["completion", shell]) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (["tilewright", "com"], ["compile", "completion"]),
        (["tilewright", "--v"], ["--version"]),
        (["tilewright", "compile", "--sh"], ["--shared", "--shifts"]),
        (["tilewright", "compile", "--debug", "--na"], ["--name"]),
        (["tilewright", "check", "--on", "s"], ["simulator", "sanitizers", "spike"]),
        (["tilewright", "compile", "--target", "siracusa/c"], ["siracusa/cluster"]),
        (["tilewright", "targets", "na"], ["native", "native-avx2"]),
        (["tilewright", "completion", "z"], ["zsh"]),
        (["tilewright", "compile", "--inputs", "some"], ["some.npz"]),
        (["tilewright", "compile", "some"], ["some.npz"]),
        (["opt-tool", "--pass"], ["--pass-pipeline", "--passes"]),
        (["opt-tool", "some"], ["some.npz"]),
        (["opt-tool", "-o", "some"], ["some.npz"]),
        (["opt-tool", "--target", "ho"], ["host"]),
    ],
)
def test_bash(line: list[str], expected: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    (tmp_path / "some.npz").touch()
    words = " ".join(f"'{word}'" for word in line)
    function = f"_{line[0].replace('-', '_')}"
    call = f"COMP_WORDS=({words}); COMP_CWORD={len(line) - 1}; {function} {line[0]} '{line[-1]}' '{line[-2]}'"
    text = f"{script('bash', capsys)}\n{call}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
    done = subprocess.run([bash, "-c", text], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert (sorted(done.stdout.split()), done.stderr) == (sorted(expected), "")


@pytest.mark.parametrize("shell", SHELLS)
def test_every_command_and_option_is_there(shell: str, capsys: pytest.CaptureFixture[str]):
    text = script(shell, capsys)
    for command in cli._COMMANDS:  # pyright: ignore[reportPrivateUsage]
        assert all(word in text for word in command.split())
    for option in ("shared", "pass-pipeline", "load-pass"):
        assert f"--{option}" in text or f"-l {option} " in text
    head = {"zsh": "#compdef tilewright opt-tool\n", "bash": "_tilewright() {\n", "fish": "complete -c tilewright "}
    assert text.startswith(head[shell])


def test_fish_quotes(capsys: pytest.CaptureFixture[str]):
    lines = script("fish", capsys).splitlines()
    assert all(line.startswith("complete -c ") and line.replace("\\'", "").count("'") % 2 == 0 for line in lines)
    on = next(line for line in lines if "from check" in line and "-l on " in line)
    assert f" -x -a '{' '.join(places())}' -d '" in on


def test_an_unknown_shell(capsys: pytest.CaptureFixture[str]):
    assert cli.main(["completion", "ksh"]) == 2
    assert "invalid choice: 'ksh'" in capsys.readouterr().err
