"""
A network at each level: the IR with the changes of each pass, a memory map, and values of ops. A marimo notebook.

    marimo edit docs/levels_notebook.py
    python docs/levels_notebook.py -- --network ds-cnn --target siracusa --stage fuse-epilogues
"""

# marimo's cells define names by assignment, and mo.ui has no precise types.
# pyright: basic, reportUnusedExpression=false, reportMissingImports=false

import marimo

__generated_with = "0.25.2"
app = marimo.App(width="medium", app_title="A network at each level")


@app.cell
def _():
    import tempfile
    from html import escape
    from pathlib import Path

    import marimo as mo

    from tilewright.dialects.core.machine.targets import machines
    from tilewright.frontend.zoo import build, names
    from tilewright.runtime.tools.levels import allocations, array_summary, listing, memory_map, stages_of, values_of

    return (
        Path,
        allocations,
        array_summary,
        build,
        escape,
        listing,
        machines,
        memory_map,
        mo,
        names,
        stages_of,
        tempfile,
        values_of,
    )


@app.cell
def _(machines, mo, names):
    arguments = mo.cli_args()
    network = mo.ui.dropdown(names(), value=arguments.get("network", "mlp"), label="network")
    file = mo.ui.text(str(arguments.get("file", "")), label="or a file, .onnx or .mlir", full_width=True)
    target = mo.ui.dropdown(sorted(machines()), value=arguments.get("target", "siracusa"), label="target")
    mo.vstack([mo.md("# A network at each level"), mo.hstack([network, target, file], widths=[1, 1, 2])])
    return arguments, file, network, target


@app.cell
def _(Path, build, file, network, stages_of, target, tempfile):
    with tempfile.TemporaryDirectory() as _folder:
        _path = Path(file.value) if file.value else Path(_folder) / f"{network.value}.onnx"
        if not file.value:
            _path.write_bytes(build(network.value).SerializeToString())
        stages = stages_of(_path, target.value)
    return (stages,)


@app.cell
def _(arguments, mo, stages):
    _named = [number for number, stage in enumerate(stages) if stage.name == arguments.get("stage")]
    _default = next((number for number, stage in enumerate(stages) if stage.name == "plan-memory"), len(stages) - 1)
    slider = mo.ui.slider(
        0, len(stages) - 1, value=_named[0] if _named else _default, label="stage", show_value=True, full_width=True
    )
    slider
    return (slider,)


@app.cell
def _(escape, mo, slider, stages):
    stage = stages[slider.value]
    _phases = list(dict.fromkeys(stage.phase for stage in stages))
    _shown = " → ".join(f"<b>{escape(name)}</b>" if name == stage.phase else escape(name) for name in _phases)
    mo.md(f"{_shown}\n\nStage {slider.value} of {len(stages) - 1}: after the pass **`{stage.name}`**")
    return (stage,)


@app.cell
def _(listing, mo, slider, stage, stages):
    _changes = stage.diff(stages[slider.value - 1]) if slider.value else "the network as it is read"
    mo.ui.tabs({"changes of the pass": mo.Html(listing(_changes)), "IR": mo.Html(listing(stage.text))})
    return


@app.cell
def _(allocations, memory_map, mo, stage):
    _rows = allocations(stage.module)
    mo.vstack(
        [
            mo.md(
                "## Memory map\n\nAddresses upwards, steps of the program to the right. Point at a buffer for its size."
            ),
            mo.Html(memory_map(_rows)) if _rows else mo.md("No buffer has an address at this stage."),
        ]
    )
    return


@app.cell
def _(mo, stage, values_of):
    values = values_of(stage)
    seen = mo.ui.dropdown(
        {f"{number}: {row.text[:100]}": number for number, row in enumerate(values)},
        value=f"{len(values) - 1}: {values[-1].text[:100]}" if values else None,
        label="op",
        full_width=True,
    )
    mo.vstack([mo.md("## Values of an op\n\nOn random inputs, by the interpreter."), seen])
    return seen, values


@app.cell
def _(array_summary, listing, mo, seen, values):
    mo.stop(seen.value is None, mo.md("No op has values: the program runs vectorised."))
    _row = values[seen.value]
    mo.vstack([mo.Html(listing(_row.text)), *(mo.Html(array_summary(array)) for array in _row.arrays)])
    return


if __name__ == "__main__":
    app.run()
