"""
The texts of `klm-small`: `python -m tilewright.frontend.zoo.train_klm.texts FOLDER` writes three files of documents.

| file | documents | from |
|---|---|---|
| `fortunes.txt` | epigrams, without drawings | Debian's `fortunes` and `fortunes-min` |
| `kjv.txt` | chapters of the King James Bible, a verse a line | Debian's `bible-kjv` |
| `chat.txt` | conversations, a remark a line | PyPI's `chatterbot-corpus` 1.3.3, English; it needs `pyyaml` |

Documents are separated by lines of a single `%`. Files of jokes about groups of people are left out.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from ....errors import Diagnostic
from ....files import path_of, write_text

_FORTUNES = Path("/usr/share/games/fortunes")
_LEFT_OUT = ("art", "ascii-art", "drugs", "ethnic", "men-women", "zippy")
_FORTUNES_REMEDY = "apt-get install fortunes"
_BIBLE_REMEDY = "apt-get install bible-kjv"
_CHAT_REMEDY = "pip install chatterbot-corpus==1.3.3 pyyaml"

_WRAPPED = 60
"""Characters from which a line counts as wrapped by an editor, not ended by its author."""

_LEAST_WORDS = 0.75
"""Share of letters and spaces below which a document is a drawing or a table."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; return the exit status."""
    parser = argparse.ArgumentParser(
        "python -m tilewright.frontend.zoo.train_klm.texts", description="The texts that klm-small is trained on."
    )
    parser.add_argument("folder", type=path_of, help="the folder to write fortunes.txt, kjv.txt and chat.txt to")
    parser.add_argument("--fortunes", type=path_of, default=_FORTUNES, help=f"the fortunes (default {_FORTUNES})")
    options = parser.parse_args(arguments)
    try:
        texts = {"fortunes": fortunes(options.fortunes), "kjv": chapters(), "chat": conversations()}
        options.folder.mkdir(parents=True, exist_ok=True)
        for name, documents in texts.items():
            write_text(options.folder / f"{name}.txt", "%\n".join(f"{text}\n" for text in documents))
            print(f"{name}.txt: {len(documents):,} documents, {sum(map(len, documents)):,} characters")
    except (Diagnostic, OSError) as problem:
        print(problem if isinstance(problem, Diagnostic) else f"error: {problem}", file=sys.stderr)
        return 1
    return 0


def fortunes(folder: Path) -> list[str]:
    """Return the epigrams of a folder of fortunes, cleaned; raises a Diagnostic where it has none."""
    files = [file for file in sorted(folder.glob("*")) if not file.suffix and file.name not in _LEFT_OUT]
    if not files:
        raise Diagnostic("there are no fortunes", where=str(folder), remedy=_FORTUNES_REMEDY)
    texts = [file.read_text("utf-8", "replace") for file in files]
    return _distinct(cleaned(document) for text in texts for document in re.split(r"^%\n", text, flags=re.MULTILINE))


def chapters() -> list[str]:
    """Return the chapters of the King James Bible as the program `bible` prints them, without numbers of verses."""
    try:
        printed = subprocess.run(["bible", "-f", "gen1:1-rev22:21"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise Diagnostic("the program bible does not run", found=str(error), remedy=_BIBLE_REMEDY) from error
    verses: dict[str, list[str]] = {}
    for line in printed.splitlines():
        place, _, text = line.partition(" ")
        verses.setdefault(place.partition(":")[0], []).append(text)
    return _distinct("\n".join(lines) for lines in verses.values())


def conversations() -> list[str]:
    """Return the English conversations of chatterbot-corpus, a remark a line; those about source code are left out."""
    try:
        yaml: Any = import_module("yaml")
        folder = Path(str(import_module("chatterbot_corpus").__file__)).parent / "data" / "english"
    except ImportError as error:
        raise Diagnostic("a Python package is missing", found=str(error), remedy=_CHAT_REMEDY) from error
    files = [file for file in sorted(folder.glob("*.yml")) if file.stem != "coding"]
    return _distinct(text for file in files for text in _remarks(yaml.safe_load(file.read_text("utf-8"))))


def cleaned(document: str) -> str:
    """
    Return a document without overstrikes, tabs, trailing spaces, runs of spaces and of dashes; "" for a drawing.

    Lines that an editor wrapped are joined: those of 60 characters or more that an unindented line follows.
    """
    document = re.sub(r".\x08", "", document).expandtabs(4)
    lines: list[str] = []
    was_wrapped = False
    for line in document.split("\n"):
        text = re.sub(r"^ {5,}", "    ", re.sub(r"(?<=\S) {2,}", " ", line.rstrip()))
        text = re.sub(r"([-_=.*~#])\1{3,}", r"\1\1\1", text)
        if was_wrapped and text and not text[0].isspace():
            lines[-1] += f" {text}"
        else:
            lines.append(text)
        was_wrapped = len(line.rstrip()) >= _WRAPPED
    text = re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip("\n")
    words = sum(letter.isalpha() or letter.isspace() for letter in text)
    return text if words >= _LEAST_WORDS * len(text) else ""


def _remarks(file: Any) -> Iterator[str]:
    for conversation in file["conversations"]:
        yield "\n".join(" ".join(str(remark).split()) for remark in conversation)


def _distinct(documents: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(text for text in documents if text.strip()))


if __name__ == "__main__":
    sys.exit(main())
