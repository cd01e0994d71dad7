"""Settings of a run as text on a command line: cores, threads and clocks of processors."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from ...errors import did_you_mean
from ...grammar import UsageError
from .building import Processor

_CPUS = re.compile(r"(\d+)(?:-(\d+))?")


class ClockSetting(NamedTuple):
    """Clock of a processor in MHz, from the start, or of a layer."""

    processor: str
    mhz: int
    layer: int | None = None

    def __str__(self) -> str:
        return f"{'' if self.layer is None else f'{self.layer}:'}{self.processor}={self.mhz}"


def cores_of(text: str, processors: Sequence[Processor], present: Sequence[int]) -> dict[str, tuple[int, ...]]:
    """
    Parse the cores of processors, `big=4-5,little=0+2`, given the CPUs of the machine at hand.

    Raises UsageError for a processor that the machine lacks, one named twice, and a CPU that is not present.
    """
    cores: dict[str, tuple[int, ...]] = {}
    for name, value in _entries("--cores", text, processors, "NAME=FIRST-LAST or NAME=CPU+CPU"):
        if name in cores:
            raise UsageError(f"--cores has two entries for {name}", found=text, remedy="give one: NAME=FIRST-LAST")
        matches = [_CPUS.fullmatch(part) for part in value.split("+")]
        if None in matches:
            raise UsageError(
                f"--cores: '{value}' are no CPUs", expected="FIRST-LAST or CPU+CPU", found=f"{name}={value}"
            )
        spans = [(int(match[1]), int(match[2] or match[1])) for match in matches if match is not None]
        cpus = tuple(cpu for first, last in spans for cpu in range(first, last + 1))
        absent = [cpu for cpu in cpus if cpu not in present]
        if absent or not cpus:
            raise UsageError(
                f"this machine has no CPU {absent[0]}" if absent else f"--cores: no CPUs in '{value}'",
                expected=f"some of {_spans(present)}",
                found=f"{name}={value}",
                remedy="choose CPUs of this machine; without --cores threads run on any",
            )
        cores[name] = cpus
    return cores


def hosts_of(wanted: Mapping[str, str], processors: Sequence[Processor]) -> dict[str, str]:
    """
    Return the host of each processor that is driven by another: `{"gpu": "little"}` is for all whose name begins so.

    An empty host is none. Raises UsageError for a kind of processor that the machine lacks, and for another processor
    than its hosts.
    """
    hosts: dict[str, str] = {}
    for kind, text in wanted.items():
        driven = [processor for processor in processors if processor.name.startswith(kind)]
        if text and not driven:
            names = ", ".join(processor.name for processor in processors)
            raise UsageError(f"--host-{kind}: there is no processor '{kind}'", expected=names, found=text)
        hosts |= {processor.name: _host(processor, f"--host-{kind}", text) for processor in driven if text}
    return hosts


def _host(processor: Processor, flag: str, text: str) -> str:
    """Return the host of a processor, whole or by its letter. Raises UsageError for one that may not host it."""
    if chosen := next((name for name in processor.hosts if text in (name, name[0].upper())), ""):
        return chosen
    expected = ", ".join(processor.hosts) or f"a machine file with hosts of {processor.name}"
    remedy = did_you_mean(text, processor.hosts) or "name one of its hosts"
    raise UsageError(f"{flag}: '{text}' is no host of {processor.name}", expected=expected, found=text, remedy=remedy)


def check_pinning(hosts: Mapping[str, str], cores: Mapping[str, Sequence[int]]) -> None:
    """
    Check that the threads of hosted processors can be pinned to the cores of their hosts.

    Raises UsageError for a host without cores, and for a hosted processor that has cores of its own too.
    """
    for name, host in hosts.items():
        if name in cores:
            raise UsageError(
                f"{name} has a host and cores of its own",
                expected="one of them",
                found=f"host {host}, --cores {cores_text({name: cores[name]})}",
                remedy=f"leave the entry of {name} out of --cores",
            )
        if host not in cores:
            raise UsageError(
                f"the cores of {host}, the host of {name}, are not given",
                expected=f"an entry of {host} in --cores",
                found=cores_text(cores) or "no --cores",
                remedy=f"--cores {host}=FIRST-LAST",
            )


def cores_text(cores: Mapping[str, Sequence[int]]) -> str:
    """Return a table of cores in the form that a program takes."""
    return ",".join(f"{name}={'+'.join(map(str, cpus))}" for name, cpus in cores.items())


def check_threads(text: str, processors: Sequence[Processor], cores: Mapping[str, Sequence[int]]) -> None:
    """
    Check the threads of processors, `big=1`, against their cores: those of --cores, else those of the machine.

    Raises UsageError for more threads than cores, and for more than one: the kernels of a stage run on one thread.
    """
    by_name = {processor.name: processor for processor in processors}
    for name, value in _entries("--threads", text, processors, "NAME=THREADS"):
        if not value.isdecimal() or int(value) < 1:
            raise UsageError(
                f"--threads: '{value}' is no number of threads", expected="1 or more", found=f"{name}={value}"
            )
        limit = len(cores[name]) if name in cores else by_name[name].cores
        where = "--cores" if name in cores else "the machine"
        if int(value) > limit:
            raise UsageError(
                f"{value} threads on the {limit} cores of {name}",
                expected=f"at most {limit}, the cores that {where} gives",
                found=f"{name}={value}",
                remedy="fewer threads, or more cores",
            )
        if int(value) > 1:
            raise UsageError(
                f"{value} threads of {name} have no work for the second one",
                expected="1: the kernels of a stage run one after the other, on one thread",
                found=f"{name}={value}",
                remedy="cut the network into more stages with --order, which compute at once",
            )


def clocks_of(text: str, processors: Sequence[Processor], layers: int, *, switched: bool) -> tuple[ClockSetting, ...]:
    """
    Parse clocks: `big=1800,little=L2,3:big=1200`, in MHz or, after L, as an index of the machine's list from 0.

    Raises UsageError for a clock that a processor does not have, two of one, a layer that the network lacks, and one of
    a layer in a pipeline, whose layers compute at once.
    """
    settings: list[ClockSetting] = []
    by_name = {processor.name: processor for processor in processors}
    for part in filter(None, text.split(",")):
        layer, colon, rest = part.rpartition(":")
        name, value = _entries("--clocks", rest, processors, "PROCESSOR=MHZ, PROCESSOR=LINDEX or LAYER:PROCESSOR=MHZ")[
            0
        ]
        mhz = _clock(by_name[name], value)
        if colon:
            _check_layer(part, layer, layers, switched=switched)
        setting = ClockSetting(name, mhz, int(layer) if colon else None)
        if any((setting.processor, setting.layer) == (other.processor, other.layer) for other in settings):
            raise UsageError(
                f"--clocks has two entries for {part.partition('=')[0]}", found=text, remedy="give one of them"
            )
        settings.append(setting)
    return tuple(settings)


def _check_layer(part: str, layer: str, layers: int, *, switched: bool) -> None:
    """Raise UsageError for a clock of a layer that the network lacks, or that computes at once with all others."""
    if not layer.isdecimal() or int(layer) >= layers:
        raise UsageError(f"the network has no layer {layer}", expected=f"0 to {layers - 1}", found=part)
    if not switched:
        raise UsageError(
            "a clock of a layer in a pipeline, where all layers compute at once",
            expected="PROCESSOR=MHZ, for the whole run",
            found=part,
            remedy="--mode switch, or one clock for each processor",
        )


def _clock(processor: Processor, value: str) -> int:
    """Return MHz. Raises UsageError for a clock that the processor does not have."""
    points = [int(mhz) for mhz in processor.mhz]
    shown = ", ".join(f"{mhz} (L{index})" for index, mhz in enumerate(points))
    expected = f"MHz or, after L, an index: {shown}" if points else "a machine file with clock = { mhz = [...] }"
    by_index = value.startswith("L")
    number = int(value[1:] if by_index else value) if value.removeprefix("L").isdecimal() else -1
    if by_index and 0 <= number < len(points):
        return points[number]
    if not by_index and number in points:
        return number
    near = min(points, key=lambda mhz: abs(mhz - number)) if points and number > 100 else None
    remedy = f"{near}?" if near is not None else "indices need an L; without it a number is MHz"
    raise UsageError(f"{processor.name} has no clock {value}", expected=expected, found=value, remedy=remedy)


def _entries(flag: str, text: str, processors: Sequence[Processor], form: str) -> list[tuple[str, str]]:
    """Return the entries of a table; a processor is named whole or by its letter."""
    names = [processor.name for processor in processors]
    entries: list[tuple[str, str]] = []
    for part in filter(None, text.split(",")):
        name, equals, value = part.partition("=")
        whole = next((processor for processor in names if name in (processor, processor[0].upper())), "")
        if not equals or not value:
            raise UsageError(f"{flag}: '{part}' is no entry", expected=form, found=text)
        if not whole:
            remedy = did_you_mean(name, names) or "name a processor of the machine"
            raise UsageError(
                f"{flag}: there is no processor '{name}'", expected=", ".join(names), found=part, remedy=remedy
            )
        entries.append((whole, value))
    if not entries:
        raise UsageError(f"{flag} is empty", expected=form, found=repr(text))
    return entries


def _spans(numbers: Sequence[int]) -> str:
    """Return numbers as spans: 0-3, 6."""
    spans: list[list[int]] = []
    for number in sorted(numbers):
        if spans and number == spans[-1][-1] + 1:
            spans[-1][1:] = [number]
        else:
            spans.append([number])
    return ", ".join("-".join(map(str, span)) for span in spans)
