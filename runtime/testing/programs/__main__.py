"""
Print random programs.

    python -m tilewright.runtime.testing.programs 17
    python -m tilewright.runtime.testing.programs 17 --profile kernels | opt-tool - -p canonicalize
"""

from __future__ import annotations

import argparse

from .program import PROFILES, program


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", type=int, nargs="+", metavar="SEED", help="number of a program")
    parser.add_argument("--profile", choices=[*PROFILES], help="kind of program (drawn by the seed)")
    options = parser.parse_args()
    print("// -----\n".join(program(seed, profile=options.profile).text for seed in options.seed))


if __name__ == "__main__":
    main()
