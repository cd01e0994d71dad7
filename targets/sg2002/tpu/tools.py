"""Sophgo's compiler for the TPU, tpu-mlir, in an environment of its own."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from ....errors import Diagnostic
from ....runtime.processes import finished

PYTHON = "TILEWRIGHT_TPU_PYTHON"
"""Variable with the interpreter of the environment that has tpu-mlir."""

INSTALL = """\
python3.10 -m venv tpu-env
tpu-env/bin/pip install --no-deps tpu_mlir==1.30.2
tpu-env/bin/pip install 'setuptools<81' numpy==1.24.3 scipy==1.11.1 onnx==1.14.1 onnxruntime==1.16.3 onnxsim==0.4.17 \
protobuf==3.20.3 psutil tqdm==4.65.0 Pillow==10.0.0 opencv-python-headless==4.8.0.74 onnxruntime_extensions==0.14.0 \
pandas==2.0.3
tpu-env/bin/pip install --no-deps transformers tokenizers huggingface_hub safetensors regex requests pyyaml filelock \
plotly narwhals httpx2 httpcore2 idna h11 truststore graphviz scikit-learn==1.6.1 joblib cloudpickle threadpoolctl
packages=tpu-env/lib/python3.10/site-packages
# Files of another C library, which end all programs where this machine's is newer.
rm -f $packages/tpu_mlir/lib/third_party/libc.so.6 $packages/tpu_mlir/lib/third_party/libm.so.6 \
$packages/tpu_mlir/lib/third_party/libpthread.so.0
# Its tools import torch, of which they need the names of a class, a module and a type.
cat > $packages/torch.py <<'PY'
class Tensor:
    pass


nn, float32 = Tensor(), "float32"


def __getattr__(name):
    raise (AttributeError if name.startswith("__") else ImportError)(name)
PY
export TILEWRIGHT_TPU_PYTHON=$PWD/tpu-env/bin/python
export TILEWRIGHT_CVI_LIBRARY=$PWD/$packages/tpu_mlir/lib/libcviruntime.so
"""
"""Lines of a shell that install tpu-mlir and its simulator: 1.8 GB."""

_SECONDS = 600


def interpreter() -> Path:
    """Return the interpreter that has tpu-mlir. Raises Diagnostic, with how to install it, without one."""
    chosen = os.environ.get(PYTHON, "")
    path = shutil.which(chosen) if chosen else None
    problem = f"{PYTHON} is {chosen or 'not set'}"
    if path is not None:
        command = [path, "-c", "import importlib.util as u, sys; sys.exit(u.find_spec('tpu_mlir') is None)"]
        if finished(command).returncode == 0:
            return Path(path)
        problem = f"{path} has no tpu_mlir"
    raise Diagnostic(
        "tpu-mlir is not installed",
        expected=f"{PYTHON}, an interpreter that has it",
        found=problem,
        notes=[*INSTALL.splitlines()],
        remedy="run the lines above, which `tilewright tpu vendor` prints too",
    )


def run_tool(name: str, arguments: list[str], folder: Path, product: str, subject: str) -> None:
    """
    Run a tool of tpu-mlir in a folder, which must make the file `product` there.

    Raises Diagnostic where it fails, with the last lines that it printed; it may fail without any message.
    """
    programs = interpreter().parent
    path = os.pathsep.join([str(programs), os.environ.get("PATH", "")])
    # numpy's threads on a machine with few cores take longer than one.
    environment = {"PATH": path, "OMP_NUM_THREADS": "1"}
    done = finished([str(programs / name), *arguments], folder, environment, seconds=_SECONDS, merged=True)
    if done.returncode == 0 and (folder / product).is_file():
        return
    raise Diagnostic(
        f"tpu-mlir cannot compile {subject}",
        where=name,
        expected=product,
        found=f"exit code {done.returncode}",
        notes=_last_lines(done.stdout),
        remedy="leave the kind of this module out of --modules",
    )


def _last_lines(text: str, count: int = 8) -> list[str]:
    """Return the last lines that are not frames of a crash."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    return lines[-count:]
