"""
Commands in processes forked from one that has imported the package: each is on its own, none waits for the imports.

Programs in place of `tilewright`, `opt-tool` and `python` hand their arguments, folder and streams to that process,
which answers with the exit code. Run as a program: the process, with the path of its socket.
"""

from __future__ import annotations

import importlib
import json
import os
import runpy
import signal
import socket
import subprocess
import sys
import types
from collections.abc import Generator
from contextlib import contextmanager
from importlib.metadata import entry_points
from pathlib import Path

from tilewright.passes import all_passes

IMPORTED = """
    numpy.random rich.progress onnx.reference
    tilewright.api tilewright.cli tilewright.opt_tool tilewright.frontend.zoo._builder
    tilewright.runtime.driver.driver tilewright.runtime.host tilewright.runtime.interpreter.onnx
    tilewright.runtime.simulator
"""
CLIENT = """\
#!{python} -IS
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
socket.send_fds(server, [json.dumps([os.path.basename(sys.argv[0]), sys.argv[1:], os.getcwd()]).encode()], [0, 1, 2])
server.shutdown(socket.SHUT_WR)
sys.exit(int(server.recv(9)))
"""


@contextmanager
def warm_commands(folder: Path) -> Generator[dict[str, str]]:
    """Give an environment whose PATH, in a folder of its own, has the commands."""
    address = folder / "socket"
    for name in ("tilewright", "opt-tool", "python"):
        client = folder / name
        client.write_text(CLIENT.format(python=sys.executable, address=str(address)), encoding="utf-8")
        client.chmod(0o755)
    path = os.pathsep.join([str(folder), str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = os.environ | {"PATH": path}
    command = [sys.executable, "-m", __spec__.name, str(address)]
    with subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as server:
        try:
            assert server.stdout is not None
            assert server.stdout.readline() == b"ready\n"
            yield environment
        finally:
            server.kill()


def serve(address: str) -> tuple[str, list[str]]:
    """Fork a process for each command; return its name and arguments there, in its folder, with its streams."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        client, _ = listener.accept()
        while os.fork():
            client.close()
            client, _ = listener.accept()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    data, streams, _, _ = socket.recv_fds(client, 1 << 16, 3)
    while more := client.recv(1 << 16):
        data += more
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    if child := os.fork():
        client.send(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())
        os._exit(0)
    client.close()
    name, arguments, current = json.loads(data)
    os.chdir(current)
    return name, arguments


def run(name: str, arguments: list[str]) -> None:
    """Run a command as the shell would; `python` takes `-c` or `-m`. Raises SystemExit with its code."""
    sys.argv = [name, *arguments]
    if name != "python":
        [entry] = entry_points(group="console_scripts", name=name)
        sys.exit(entry.load()())
    option, text = arguments[:2]
    sys.argv = [option, *arguments[2:]]
    sys.path.insert(0, "")
    if option == "-m":
        runpy.run_module(text, run_name="__main__", alter_sys=True)
        return
    assert option == "-c", option
    sys.modules["__main__"] = types.ModuleType("__main__")
    exec(compile(text, "<string>", "exec"), vars(sys.modules["__main__"]))  # a program of the documentation


if __name__ == "__main__":
    for module in IMPORTED.split():
        importlib.import_module(module)
    for load in all_passes().values():
        load()
    run(*serve(sys.argv[1]))
