"""Draw docstrings and error messages of the package at random and print them, for review against docs/glossary.md."""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence

from tilewright.test.words import Text, coinages_of, faults_of, texts


def drawn(texts: Sequence[Text], count: int, seed: int) -> list[Text]:
    """Return a sample without replacement in the order of the files, all texts if there are no more than `count`."""
    return sorted(random.Random(seed).sample(texts, min(count, len(texts))), key=lambda text: (text.file, text.line))


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a sample, each text with its place and the rules that it breaks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--docstrings", type=int, default=50, metavar="N")
    parser.add_argument("--messages", type=int, default=20, metavar="N")
    options = parser.parse_args(arguments)
    of_docstrings, of_messages = texts()
    documented = drawn(of_docstrings, options.docstrings, options.seed)
    raised = drawn(of_messages, options.messages, options.seed)
    for text in documented:
        print(f"{text.place} {text.owner}: {text.first}")
        for fault in faults_of(text):
            print(f"    ! {fault}")
    for text in raised:
        print(f"{text.place} {text.owner}")
        for line in [*text.text.splitlines(), *(f"! {fault}" for fault in coinages_of(text))]:
            print(f"    {line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
