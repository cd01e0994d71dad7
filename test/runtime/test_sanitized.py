"""Faults planted in emitted C are found under the sanitisers."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tilewright.compiler import Model, compile_model
from tilewright.errors import Diagnostic
from tilewright.passes.formats.c import write_program
from tilewright.runtime.host import HostNetwork
from tilewright.test.small_models import save, small

FAULTS = {
    "a read by a pointer": (
        "static volatile int8_t a[4]; volatile int8_t *volatile p = a; (void)p[4];",
        "global-buffer-overflow",
    ),
    "a read by an index": ("static volatile int8_t a[4]; volatile int i = 4; (void)a[i];", "out of bounds"),
    "a sum that overflows": ("volatile int32_t a = 2147483647; a = a + 1;", "signed integer overflow"),
    "a shift that is too wide": ("volatile int32_t a = 33; a = 1 << a;", "shift exponent 33"),
}


@pytest.mark.sample(2)
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_found(fault: str, tmp_path: Path) -> None:
    planted, said = FAULTS[fault]
    save(small(), tmp_path / "net.onnx")
    write_program(compile_model(Model(tmp_path / "net.onnx"), "host").program(), tmp_path)
    source = tmp_path / "network.c"
    text, count = re.subn(r"(\w+_run\([^)]*\) \{)", rf"\1 {planted}", source.read_text())
    assert count == 1
    source.write_text(text)
    with pytest.raises(Diagnostic, match="failed under the sanitisers") as error:
        HostNetwork(tmp_path, sanitize=True).run([np.zeros((1, 2, 6, 6), np.uint8)])
    assert re.search(said, "\n".join(error.value.notes))
    assert any("network.c:" in note for note in error.value.notes)
