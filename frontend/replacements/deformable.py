"""Deformable convolution as gathers, which read between pixels, and a matrix product."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from onnx import TensorProto, helper

from ..site import Site, expands


@expands("DeformConv")
def _deformable(site: Site) -> None:
    """
    Sample the input where offsets say, then multiply by the weights (Dai et al., arXiv:1703.06211).

    Offsets are [N, S K 2, OH, OW], y before x, in pixels from where a plain convolution of K places looks;
    each of S groups of channels has its own. The input is zero outside, and linear between its pixels.
    """
    (batch, channels, *image), (outs, per_group, *kernel) = site.shape(0, 4), site.shape(1, 4)
    groups, samples = int(site.attribute("group")), int(site.attribute("offset_group"))
    if groups < 1 or samples < 1 or outs % groups or channels % samples:
        raise site.unsupported(f"of {groups} and {samples} groups", "numbers that divide the channels")
    offset, taps = site.shape(2, 4), kernel[0] * kernel[1]
    sizes = offset[2:]
    if offset[:2] != (batch, samples * taps * 2):
        raise site.misfit("the offset", f"{[batch, samples * taps * 2, *sizes]}, two per tap and group", list(offset))
    area = sizes[0] * sizes[1]
    base = site.constant(_plain_places(site, kernel, sizes).astype(helper.tensor_dtype_to_np_dtype(site.kind(0))))
    places = site.emit("Add", site.reshape(site.input(2), batch, samples, taps, 2, *sizes), base)
    y, x = (
        site.reshape(site.emit("Gather", places, site.constant(np.array(i)), axis=3), batch * samples, 1, taps * area)
        for i in range(2)
    )
    pixels = site.reshape(site.input(0), batch * samples, channels // samples, image[0] * image[1])
    seen = _sampled(site, pixels, (y, x), image, (batch * samples, channels // samples, taps * area))
    if site.input(4):
        mask = site.reshape(site.input(4), batch * samples, 1, taps * area)
        seen = site.emit("Mul", seen, mask)
    columns = site.reshape(seen, batch, groups, per_group * taps, area)
    weights = site.reshape(site.input(1), groups, outs // groups, per_group * taps)
    product = site.reshape(site.emit("MatMul", weights, columns), batch, outs, *sizes)
    site.give(0, site.sum(product, site.reshape(site.input(3), outs, 1, 1) if site.input(3) else ""))


def _sampled(site: Site, pixels: str, places: Sequence[str], image: Sequence[int], shape: Sequence[int]) -> str:
    """Append a picture [B, C, H W] at places between its pixels, coordinates [B, 1, L], in its `shape` [B, C, L]."""
    lows = [site.emit("Floor", place) for place in places]
    parts = [site.emit("Sub", place, low) for place, low in zip(places, lows, strict=True)]
    corners = [_corner(site, pixels, lows, parts, (dy, dx), image, shape) for dy in (0, 1) for dx in (0, 1)]
    return site.sum(*corners)


def _corner(
    site: Site,
    pixels: str,
    lows: Sequence[str],
    parts: Sequence[str],
    steps: Sequence[int],
    image: Sequence[int],
    shape: Sequence[int],
) -> str:
    """Append the contribution of one of the four pixels around each place, 0 outside of the image."""
    kind, weight, index = site.kind(0), "", ""
    for low, part, step, extent in zip(lows, parts, steps, image, strict=True):
        place = site.emit("Add", low, site.number(step, kind)) if step else low
        near = site.emit("Clip", place, site.number(0, kind), site.number(extent - 1, kind))
        share = part if step else site.emit("Sub", site.number(1, kind), part)
        share = site.emit("Where", site.emit("Equal", place, near), share, site.number(0, kind))
        weight = site.emit("Mul", weight, share) if weight else share
        whole = site.cast(near, kind, TensorProto.INT64)
        row = site.emit("Mul", index, site.constant(np.array(extent))) if index else ""
        index = site.sum(row, whole)
    gathered = site.emit("GatherElements", pixels, site.emit("Expand", index, site.sizes(*shape)), axis=2)
    return site.emit("Mul", gathered, weight)


def _plain_places(site: Site, kernel: Sequence[int], sizes: Sequence[int]) -> np.ndarray:
    """Return the sampling places of a plain convolution, as [K, 2, OH, OW]."""
    strides, dilations = (list(site.given.get(name, (1, 1))) for name in ("strides", "dilations"))
    pads = list(site.given.get("pads", (0, 0)))
    axes = [
        np.arange(size) * strides[i] - pads[i] + (np.arange(kernel[i]) * dilations[i])[:, None]
        for i, size in enumerate(sizes)
    ]
    shape = (kernel[0], kernel[1], *sizes)
    rows = np.broadcast_to(axes[0][:, None, :, None], shape)
    columns = np.broadcast_to(axes[1][None, :, None, :], shape)
    return np.stack([rows, columns], 2).reshape(kernel[0] * kernel[1], 2, *sizes)
