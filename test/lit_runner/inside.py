"""lit's test format that runs opt-tool and filecheck in lit's own workers, which start once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lit.formats
import lit.Test

from tilewright.test.lit_runner.file import failure_of
from tilewright.test.lit_runner.script import ScriptError


class InsideTest(lit.formats.FileBasedTest):
    """A .mlir file: one test."""

    def execute(self, test: Any, lit_config: Any) -> Any:
        try:
            report = failure_of(Path(test.getSourcePath()))
        except ScriptError as error:
            return lit.Test.Result(lit.Test.UNRESOLVED, str(error))
        return lit.Test.Result(lit.Test.FAIL if report else lit.Test.PASS, report)
