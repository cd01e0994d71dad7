"""
The configuration of lit: `lit test/` runs the .mlir tests, opt-tool and filecheck in lit's workers.

With `--param processes=1` each command is a process of its own: lit's shell in place of that of `runtime/testing/lit`.
"""

# `config` and `lit_config` are put here by lit.
# pyright: reportUndefinedVariable=false, reportUnknownMemberType=false
# ruff: noqa: F821

import os
import sys
from pathlib import Path

from tilewright.runtime.driver.run_lines.script import MACROS
from tilewright.runtime.testing.lit.inside import InsideTest, ProcessesTest

config.name = "tilewright"
config.test_format = ProcessesTest() if "processes" in lit_config.params else InsideTest()
config.suffixes = [".mlir"]
config.excludes = ["Inputs", "programs"]
config.test_source_root = str(Path(__file__).parent)
config.test_exec_root = str(Path(__file__).parent.parent / "build" / "lit")
config.environment["PATH"] = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
config.environment["PYTHONHASHSEED"] = "0"
config.substitutions += [(rf"(?<![\w-]){name}\b", expansion) for name, expansion in MACROS.items()]
