"""ONNX Runtime's operators with channels last, which it writes to a network that it saves optimised."""

from __future__ import annotations

from ..site import Site, replaces


def channels_moved(site: Site, x: str, rank: int, *, last: bool) -> str:
    """Append a tensor with its channels, which are first after the batch, moved to the last axis, or back."""
    order = [0, *range(2, rank), 1] if last else [0, rank - 1, *range(1, rank - 1)]
    return site.emit("Transpose", x, perm=order)


@replaces("QLinearConv")
def _convolution(site: Site) -> None:
    """Convolve integers of [N, C, space] or, with `channels_last`, [N, space, C]; weights are [F, C, window]."""
    own = {name: value for name, value in site.given.items() if name != "channels_last"}
    x, *others = site.node.input
    if not site.attribute("channels_last"):
        site.give(0, site.emit("QLinearConv", x, *others, **own))
        return
    rank = len(site.shape(0))
    y = site.emit("QLinearConv", channels_moved(site, x, rank, last=False), *others, **own)
    site.give(0, channels_moved(site, y, rank, last=True))


@replaces("NhwcMaxPool")
def _max_pool(site: Site) -> None:
    rank = len(site.shape(0))
    y = site.emit("MaxPool", channels_moved(site, site.input(0), rank, last=False), **site.given)
    site.give(0, channels_moved(site, y, rank, last=True))
