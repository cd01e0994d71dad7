"""`tilewright remarks`: the remarks that passes left in a file, as text or as a page."""

from __future__ import annotations

import argparse

from ...files import path_of, read_text, write_stdout


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("file", type=path_of, metavar="FILE.json", help="what --remarks FILE.json wrote; '-': stdin")
    what = "write a page for a browser, or .json, instead of text to standard output"
    parser.add_argument("-o", "--output", metavar="FILE.html", help=what)
    what = "only remarks in whose 'KIND PASS NAME' this is found: 'missed fuse'"
    about = "only what passes remarked on an ONNX node, or a place FILE:LINE of the input, as text"
    parser.add_argument("--explain", metavar="NODE", help=about)
    parser.add_argument("--filter", metavar="REGEX", default="", help=what)


def run(options: argparse.Namespace) -> int:
    """Print the remarks of a file, or write them in another form. Raises Diagnostic."""
    from ...grammar import UsageError
    from ..remarks.explanation import explanation_of_place
    from ..remarks.files import check_files, write_files
    from ..remarks.records import chosen, from_json

    name = str(options.file)
    if options.output is not None and options.explain is not None:
        raise UsageError("--explain prints text", found=f"-o {options.output}", remedy="leave one of them out")
    if options.output is not None:
        check_files([options.output], [options.file])
    remarks = chosen(from_json(read_text(name), name), options.filter)
    if options.output is not None:
        write_files([options.output], remarks, options.file.stem)
        return 0
    lines = (f"{remark}\n" for remark in remarks)
    text = "".join(lines) if options.explain is None else explanation_of_place(options.explain, remarks)
    write_stdout(text, remedy="choose a file with -o")
    return 0
