"""lit's test formats: opt-tool and filecheck in lit's own workers, which start once, or as processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lit.formats
import lit.Test

from ...driver.run_lines.script import ScriptError, run_lines
from .file import failure_of


class InsideTest(lit.formats.FileBasedTest):
    """Test of one .mlir file, whose commands run in the worker."""

    def execute(self, test: Any, lit_config: Any) -> Any:
        try:
            report = failure_of(Path(test.getSourcePath()))
        except ScriptError as error:
            return lit.Test.Result(lit.Test.UNRESOLVED, str(error))
        return lit.Test.Result(lit.Test.FAIL if report else lit.Test.PASS, report)


class ProcessesTest(lit.formats.FileBasedTest):
    """Test of one .mlir file, whose commands are processes of lit's shell."""

    def execute(self, test: Any, lit_config: Any) -> Any:
        try:
            run_lines(Path(test.getSourcePath()).read_text(encoding="utf-8"))
        except ScriptError as error:
            return lit.Test.Result(lit.Test.UNRESOLVED, str(error))
        shell: Any = lit.formats.ShTest
        return shell(execute_external=False).execute(test, lit_config)
