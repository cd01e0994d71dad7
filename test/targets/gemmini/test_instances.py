"""Instances of Gemmini's generator: the same networks on arrays and memories of other sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tilewright.compiler import Model, compile_model
from tilewright.test.targets.gemmini.networks import (
    Network,
    assert_equal,
    random_conv,
    random_groups,
    random_matmul,
    random_pool,
    residual,
)

BEGINS = {
    "lean": "{dim = 16 : i64, banks = 4 : i64, bank_rows = 4096 : i64, acc_rows = 1024 : i64}",
    "chip": "{dim = 16 : i64, banks = 4 : i64, bank_rows = 1024 : i64, acc_rows = 512 : i64}",
    "32x32": "{dim = 32 : i64, banks = 4 : i64, bank_rows = 4096 : i64, acc_rows = 1024 : i64}",
}


@pytest.mark.parametrize("network", [random_conv, random_matmul, residual, random_pool, random_groups])
@pytest.mark.parametrize("instance", ["chip", "32x32"])
def test_instances_of_integers(instance: str, network: Network, tmp_path: Path) -> None:
    assert_equal(network(9), 9, tmp_path, ["sanitizers"], f"gemmini/{instance}")


@pytest.mark.parametrize("instance", BEGINS)
def test_a_program_states_its_instance(instance: str, tmp_path: Path) -> None:
    file = tmp_path / "network.onnx"
    file.write_bytes(random_matmul(3)[0].SerializeToString())
    text = str(compile_model(Model(file), f"gemmini/{instance}", stop_after="array").module)
    assert BEGINS[instance] in text


def test_the_interpreter_has_the_array_of_an_instance(tmp_path: Path) -> None:
    assert_equal(residual(3), 3, tmp_path, ["interpreter"], "gemmini/32x32")
