"""
The configuration of lit: `lit test/` runs the .mlir tests, opt-tool and filecheck in lit's workers.

With `--param processes=1` each command is a process of its own: lit's shell instead of the one of `lit_runner`.
"""

# `config` and `lit_config` are put here by lit.
# pyright: reportUndefinedVariable=false, reportUnknownMemberType=false
# ruff: noqa: F821

import os
import sys
from pathlib import Path

import lit.formats

from tilewright.test.lit_runner.inside import InsideTest
from tilewright.test.lit_runner.script import MACROS

config.name = "tilewright"
in_processes = "processes" in lit_config.params
config.test_format = lit.formats.ShTest(execute_external=False) if in_processes else InsideTest()
config.suffixes = [".mlir"]
config.excludes = ["Inputs", "programs"]
config.test_source_root = str(Path(__file__).parent)
config.test_exec_root = str(Path(__file__).parent.parent / "build" / "lit")
config.environment["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
config.environment["PYTHONHASHSEED"] = "0"
config.substitutions += [(rf"(?<![\w-]){name}\b", expansion) for name, expansion in MACROS.items()]
