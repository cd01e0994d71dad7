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
    parser.add_argument("--filter", metavar="REGEX", default="", help=what)


def run(options: argparse.Namespace) -> int:
    """Print the remarks of a file, or write them in another form. Raises Diagnostic."""
    from ..remarks.files import check_files, write_files
    from ..remarks.records import chosen, from_json

    name = str(options.file)
    if options.output is not None:
        check_files([options.output], [options.file])
    remarks = chosen(from_json(read_text(name), name), options.filter)
    if options.output is not None:
        write_files([options.output], remarks, options.file.stem)
        return 0
    write_stdout("".join(f"{remark}\n" for remark in remarks), remedy="choose a file with -o")
    return 0
