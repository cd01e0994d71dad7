"""Arguments of scripts that judge random cases: how many, and from which seed."""

from __future__ import annotations

import argparse


def seeded_parser(description: str | None, name: str, count: int) -> argparse.ArgumentParser:
    """Return a parser of `[NAME] [SEED]`: the number of cases, `count` by default, and the first seed, 0 by default."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=positive, nargs="?", default=count, metavar=name, help=f"cases ({count})")
    parser.add_argument("seed", type=int, nargs="?", default=0, metavar="SEED", help="first seed (0)")
    return parser


def positive(text: str) -> int:
    """Return a number above zero, the type of an argument; raises ValueError otherwise."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a number above 0, found {text}")
    return number
