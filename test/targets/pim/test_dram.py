"""DRAM timing of the nodes' banks and of the host's memory."""

from __future__ import annotations

from pathlib import Path

from tilewright.compiler import Model, compile_model
from tilewright.dialects.core.machine.attribute import attach_machine
from tilewright.dialects.core.machine.file import load_machine
from tilewright.runtime.simulator.simulate import simulate
from tilewright.test.targets.pim.networks import Block

ENDS = {
    "none": "",
    "free": "[levels.HOST]\ndram = { row = 64, activate = 0, precharge = 0, cas = 0 }\n[levels.NODE]\n"
    "dram = { row = 64, activate = 0, precharge = 0, cas = 0 }\n",
    "host": "[levels.HOST]\ndram = { row = 8192, banks = 16, activate = 6, precharge = 6, cas = 6 }\n",
    "node": "[levels.NODE]\ndram = { row = 1024, activate = 6, precharge = 6, cas = 6 }\n",
}


def test_transfers_open_rows_at_both_ends(tmp_path: Path) -> None:
    """Rows that open in no time change nothing; loads open those of the host, rings those of the nodes too."""
    (tmp_path / "block.onnx").write_bytes(Block(0, tokens=16, heads=4, width=8).model().SerializeToString())
    module = compile_model(Model(tmp_path / "block.onnx"), "pim/2x2", explicit=True).module
    first, later = dict[str, int](), dict[str, int]()
    for name, text in ENDS.items():
        (tmp_path / "mesh.toml").write_text(f'include = "pim/2x2"\n{text}')
        attach_machine(module, load_machine(tmp_path / "mesh.toml"))
        first[name], later[name] = simulate(module).cycles, simulate(module, is_first=False).cycles
    assert (first["free"], later["free"]) == (first["none"], later["none"])
    assert first["none"] < first["host"] <= first["node"]
    assert later["none"] < later["host"] < later["node"]
