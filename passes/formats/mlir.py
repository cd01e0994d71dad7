"""The output format `mlir`: the IR as text, which opt-tool reads again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import IO

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.utils.target import Target

from ...dialects.core.syntax.constants import HEX_ABOVE
from ...dialects.core.syntax.text import Locations, print_ir


@dataclass(frozen=True)
class MlirTarget(Target):
    """
    The IR as MLIR text.

    `elide` omits constants of more elements, `elide_resources` resources of more characters: such text cannot be run.
    `hex_above` is the number of elements beyond which constants are printed as bytes; -1 prints all in decimal.
    `generic` prints each op in the generic form, `debuginfo` all locations; `highlight` colours names for a terminal.
    Lines have at most `width` columns where they can be broken; 0 prints each op's head on one line. By default lines
    of imported networks have at most 160. `skip_regions` prints `{...}` for each region, `short_names` names of ops
    as upstream does (`module`, `return`); `unique_names` gives no two values one name; `users` adds the users
    of values as comments.
    """

    name = "mlir"

    generic: bool = False
    debuginfo: bool = False
    elide: int | None = None
    elide_resources: int | None = None
    hex_above: int = HEX_ABOVE
    highlight: bool = False
    width: int | None = None
    skip_regions: bool = False
    short_names: bool = False
    unique_names: bool = False
    users: bool = False

    def emit(self, ctx: Context, module: ModuleOp, output: IO[str]) -> None:
        output.write(self.text(ctx, module) + "\n")

    def text(self, ctx: Context, op: Operation, locations: Locations = Locations.NONE) -> str:
        """Return the text of a module, or of another op; `locations` are those to show without `debuginfo`."""
        return print_ir(
            op,
            elide=self.elide,
            elide_resources=self.elide_resources,
            hex_above=self.hex_above,
            generic=self.generic,
            locations=Locations.ALL if self.debuginfo else locations,
            highlight=self.highlight,
            skip_regions=self.skip_regions,
            short_names=self.short_names,
            unique_names=self.unique_names,
            users=self.users,
            width=self.width,
            context=ctx,
        )
