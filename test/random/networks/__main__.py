"""
Write random networks, with samples of inputs and ONNX Runtime's outputs, as folders of `tilewright check`.

    python -m tilewright.test.random.networks 17 18 -o networks [--form qlinear] [--any-scale]
"""

from __future__ import annotations

import argparse
from pathlib import Path

from .network import FORMS, random_network, write_case


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("seed", type=int, nargs="+", metavar="SEED", help="number of a network")
    parser.add_argument("-o", "--output", type=Path, default=Path("networks"), help="folder (networks)")
    parser.add_argument("--form", choices=FORMS, default="", help="form of the operators (drawn by the seed)")
    parser.add_argument("--any-scale", action="store_true", help="scales that are no powers of two")
    options = parser.parse_args()
    for seed in options.seed:
        network = random_network(seed, options.form, exact=not options.any_scale)
        for number, folder in enumerate(write_case(network, options.output / str(seed))):
            print(folder, *(network.layers if number == 0 else ()), sep="  ")


if __name__ == "__main__":
    main()
