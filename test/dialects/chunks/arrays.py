"""Chunks of `tensor`, `memref`, `scf`, `func` and `cf` where random programs lack them."""

from __future__ import annotations

from math import prod

from tilewright.runtime.testing.programs.types import Shaped

from .chunk import Chunk, Named, template


@template(level="tensor")
def generated(b: Chunk) -> None:
    shape, kind = b.shape(2, 3), b.draw.choice(("i32", "i64"))
    type, value = Shaped("tensor", shape, kind), b.scalar(kind)
    result, i, j, x, y = Named(b.name(), type), b.name(), b.name(), b.name(), b.name()
    b.line(f"{result.name} = tensor.generate {{")
    b.line(f"^bb0({i}: index, {j}: index):")
    b.line(f"  {x} = arith.index_cast {b.draw.choice((i, j))} : index to {kind}")
    b.line(f"  {y} = arith.addi {x}, {value.name} : {kind}")
    b.line(f"  tensor.yield {y} : {kind}")
    b.line(f"}} : {type}")
    b.result(result)


@template(level="tensor")
def gathered(b: Chunk) -> None:
    b.traits.add("gather")
    (rows, columns), kind, count = b.shape(2, 4), b.number(), b.draw.randint(1, 3)
    source = b.array((rows, columns), kind)
    numbers = [[b.draw.randrange(rows)] for _ in range(count)]
    places = b.op(f"arith.constant dense<{numbers}> : tensor<{count}x1xindex>", Shaped("tensor", (count, 1), "index"))
    type = Shaped("tensor", (count, 1, columns), kind)
    text = f"tensor.gather {source.name}[{places.name}] gather_dims([0])"
    part = b.op(f"{text} : ({source.type}, {places.type}) -> {type}", type)
    b.result(part)
    unique = sorted(b.draw.sample(range(rows), min(count, rows)))
    places = b.op(
        f"arith.constant dense<{[[number] for number in unique]}> : tensor<{len(unique)}x1xindex>",
        Shaped("tensor", (len(unique), 1), "index"),
    )
    values = b.array((len(unique), 1, columns), kind)
    text = f"tensor.scatter {values.name} into {source.name}[{places.name}] scatter_dims([0]) unique"
    b.result(b.op(f"{text} : ({values.type}, {source.type}, {places.type}) -> {source.type}", source.type))


@template(level="tensor")
def packed(b: Chunk) -> None:
    b.traits.add("pack")
    kind, (outer, inner), (high, wide) = b.number(), b.shape(2, 3), b.shape(2, 3)
    source = b.array((outer * high, inner * wide), kind)
    type = Shaped("tensor", (outer, inner, high, wide), kind)
    tiles = f"inner_dims_pos = [0, 1] inner_tiles = [{high}, {wide}]"
    target = b.array(type.shape, kind)
    text = f"tensor.pack {source.name} {tiles} into {target.name} : {source.type} -> {type}"
    blocks = b.op(text, type)
    b.result(blocks)
    whole = b.array(source.shaped.shape, kind)
    b.result(b.op(f"tensor.unpack {blocks.name} {tiles} into {whole.name} : {type} -> {source.type}", source.shaped))
    padding, missing = b.scalar(kind), b.draw.randrange(high)
    ragged = b.array((outer * high - missing, inner * wide), kind)
    turned = Shaped("tensor", (inner, outer, high, wide), kind)
    target = b.array(turned.shape, kind)
    text = f"tensor.pack {ragged.name} padding_value({padding.typed}) outer_dims_perm = [1, 0] {tiles}"
    b.result(b.op(f"{text} into {target.name} : {ragged.type} -> {turned}", turned))


@template(level="tensor")
def tensor_facts(b: Chunk) -> None:
    shape, kind = b.shape(2, 4), b.number()
    source = b.array(shape, kind)
    unknown = b.op(f"tensor.cast {source.name} : {source.type} to tensor<?x?x{kind}>", f"tensor<?x?x{kind}>")
    b.result(b.op(f"tensor.rank {unknown.name} : {unknown.type}", "index"))
    axis = b.index(b.draw.randrange(2))
    b.result(b.op(f"tensor.dim {unknown.name}, {axis.name} : {unknown.type}", "index"))
    flat, sizes = Shaped("tensor", (prod(shape),), kind), Shaped("tensor", (1,), "index")
    size = b.op(f"arith.constant dense<{prod(shape)}> : {sizes}", sizes)
    b.result(b.op(f"tensor.reshape {source.name}({size.name}) : ({source.type}, {sizes}) -> {flat}", flat))


@template(level="tensor")
def tensor_bits(b: Chunk) -> None:
    b.traits.add("unsigned")
    shape, kind = b.shape(2, 3), b.number(floats=False)
    source = b.array(shape, kind)
    unsigned = Shaped("tensor", shape, f"u{kind}")
    cast = b.op(f"tensor.bitcast {source.name} : {source.type} to {unsigned}", unsigned)
    b.result(b.op(f"tensor.bitcast {cast.name} : {unsigned} to {source.type}", source.type))


@template(level="tensor")
def tensor_forall(b: Chunk) -> None:
    kind, (tiles, size) = b.number(floats=False), b.shape(2, 4)
    source, start = b.array((tiles * size,), kind), b.array((tiles * size,), kind)
    part = Shaped("tensor", (size,), kind)
    i, shared, at, piece, old, sums = (b.name() for _ in range(6))
    result = Named(b.name(), start.type)
    b.line(f"{result.name} = scf.forall ({i}) in ({tiles}) shared_outs({shared} = {start.name}) -> ({start.type}) {{")
    b.line(f"  {at} = affine.apply affine_map<(d0) -> (d0 * {size})>({i})")
    for name, whole in ((piece, source.name), (old, shared)):
        b.line(f"  {name} = tensor.extract_slice {whole}[{at}] [{size}] [1] : {start.type} to {part}")
    b.line(f"  {sums} = arith.{b.draw.choice(('addi', 'subi', 'muli', 'xori'))} {piece}, {old} : {part}")
    b.line("  scf.forall.in_parallel {")
    b.line(f"    tensor.parallel_insert_slice {sums} into {shared}[{at}] [{size}] [1] : {part} into {start.type}")
    b.line("  }")
    b.line("}")
    b.result(result)


@template()
def buffer_forall(b: Chunk) -> None:
    kind, (rows, columns) = b.number(), b.shape(2, 4)
    source, target = b.array((rows, columns), kind), b.output((rows, columns), kind)
    i, j, value = b.name(), b.name(), b.name()
    b.line(f"memref.copy {source.name}, {target.name} : {source.type} to {target.type}")
    low = b.draw.randrange(rows)
    b.line(f"scf.forall ({i}, {j}) = ({low}, 0) to ({rows}, {columns}) step (1, {b.draw.choice((1, 2))}) {{")
    b.line(f"  {value} = memref.load {source.name}[{low_of(b, i, rows)}, {j}] : {source.type}")
    b.line(f"  memref.store {value}, {target.name}[{i}, {j}] : {target.type}")
    b.line("}")


def low_of(b: Chunk, index: str, extent: int) -> str:
    """Add the mirrored index of a row, and return its name."""
    name = b.name()
    b.line(f"  {name} = affine.apply affine_map<(d0) -> ({extent - 1} - d0)>({index})")
    return name


@template()
def atomics(b: Chunk) -> None:
    kind, size = b.number(floats=False), b.draw.randint(1, 5)
    buffer, value, at = b.array((size,), kind), b.scalar(kind), b.scalar("index", (0, size - 1))
    for name in b.draw.sample(("addi", "maxs", "maxu", "mins", "minu", "ori", "andi", "assign"), 4):
        text = f"memref.atomic_rmw {name} {value.name}, {buffer.name}[{at.name}]"
        b.result(b.op(f"{text} : ({kind}, {buffer.type}) -> {kind}", kind))
    result, old, new = b.name(), b.name(), b.name()
    b.line(f"{result} = memref.generic_atomic_rmw {buffer.name}[{at.name}] : {buffer.type} {{")
    b.line(f"^bb0({old}: {kind}):")
    b.line(f"  {new} = arith.{b.draw.choice(('subi', 'xori', 'muli'))} {old}, {value.name} : {kind}")
    b.line(f"  memref.atomic_yield {new} : {kind}")
    b.line("}")
    b.result(Named(result, kind))
    b.result(buffer)


@template()
def views(b: Chunk) -> None:
    kind, (rows, columns) = b.draw.choice(("i32", "f32", "i64")), b.shape(2, 4)
    source = b.array((rows, columns), kind)
    turned = f"memref<{columns}x{rows}x{kind}, strided<[1, {columns}]>>"
    result = b.op(f"memref.transpose {source.name} (i, j) -> (j, i) : {source.type} to {turned}", turned)
    target = b.output((columns, rows), kind)
    b.line(f"memref.copy {result.name}, {target.name} : {turned} to {target.type}")
    size = rows * columns
    flat = f"memref<{size}x{kind}>"
    shape, zero = b.op("memref.alloc() : memref<1xindex>", "memref<1xindex>"), b.index(0)
    b.line(f"memref.store {b.index(size).name}, {shape.name}[{zero.name}] : memref<1xindex>")
    line = b.op(f"memref.reshape {source.name}({shape.name}) : ({source.type}, memref<1xindex>) -> {flat}", flat)
    target = b.output((size,), kind)
    b.line(f"memref.copy {line.name}, {target.name} : {flat} to {target.type}")
    width = {"i32": 4, "f32": 4, "i64": 8}[kind]
    raw = b.op(f"memref.alloc() {{alignment = 16 : i64}} : memref<{width * 8}xi8>", f"memref<{width * 8}xi8>")
    start = b.index(width * b.draw.randrange(4))
    view = b.op(f"memref.view {raw.name}[{start.name}][] : {raw.type} to memref<4x{kind}>", f"memref<4x{kind}>")
    value = b.scalar(kind)
    b.line(f"memref.store {value.name}, {view.name}[{zero.name}] : {view.type}")
    b.result(b.op(f"memref.load {view.name}[{zero.name}] : {view.type}", kind))


@template()
def metadata(b: Chunk) -> None:
    kind, (rows, columns) = b.number(), b.shape(2, 5)
    source = b.array((rows, columns), kind)
    low, size = b.draw.randrange(rows), b.draw.randint(1, columns)
    part = f"memref<1x{size}x{kind}, strided<[{columns}, 1], offset: {low * columns}>>"
    view = b.op(f"memref.subview {source.name}[{low}, 0] [1, {size}] [1, 1] : {source.type} to {part}", part)
    base, offset, sizes, strides = (b.name() for _ in range(4))
    b.line(
        f"{base}, {offset}, {sizes}:2, {strides}:2 = memref.extract_strided_metadata {view.name} : {part}"
        f" -> memref<{kind}>, index, index, index, index, index"
    )
    for name in (offset, f"{sizes}#0", f"{sizes}#1", f"{strides}#0", f"{strides}#1"):
        b.result(Named(name, "index"))
    b.result(b.op(f"memref.rank {source.name} : {source.type}", "index"))


@template()
def scoped(b: Chunk) -> None:
    kind, size = b.number(), b.draw.randint(1, 4)
    value, at = b.scalar(kind), b.scalar("index", (0, size - 1))
    result, buffer, loaded = b.name(), b.name(), b.name()
    b.line(f"{result} = memref.alloca_scope -> ({kind}) {{")
    b.line(f"  {buffer} = memref.alloca() : memref<{size}x{kind}>")
    b.line(f"  memref.store {value.name}, {buffer}[{at.name}] : memref<{size}x{kind}>")
    b.line(f"  {loaded} = memref.load {buffer}[{at.name}] : memref<{size}x{kind}>")
    b.line(f"  memref.alloca_scope.return {loaded} : {kind}")
    b.line("}")
    b.result(Named(result, kind))


@template()
def grown(b: Chunk) -> None:
    kind, size = b.number(), b.draw.randint(1, 4)
    type, more = f"memref<{size}x{kind}>", f"memref<{size + 2}x{kind}>"
    small = b.op(f"memref.alloc() : {type}", type)
    value, at = b.scalar(kind), b.index(size - 1)
    b.line(f"memref.store {value.name}, {small.name}[{at.name}] : {type}")
    b.line(f"memref.prefetch {small.name}[{at.name}], read, locality<{b.draw.randrange(4)}>, data : {type}")
    large = b.op(f"memref.realloc {small.name} : {type} to {more}", more)
    b.result(b.op(f"memref.load {large.name}[{at.name}] : {more}", kind))
    b.line(f"memref.dealloc {large.name} : {more}")


@template()
def indirect(b: Chunk) -> None:
    kind, callee = b.number(floats=False), f"{b.entry}_callee"
    b.globals.append(
        f"func.func private @{callee}(%x: {kind}) -> {kind} {{\n"
        f"  %y = arith.addi %x, %x : {kind}\n  func.return %y : {kind}\n}}"
    )
    type = f"({kind}) -> {kind}"
    function, value = b.op(f"func.constant @{callee} : {type}", type), b.scalar(kind)
    b.result(b.op(f"func.call_indirect {function.name}({value.name}) : {type}", kind))
    condition = b.op(f"arith.cmpi eq, {value.name}, {value.name} : {kind}", "i1")
    b.line(f'cf.assert {condition.name}, "{b.draw.choice(("always", "holds"))}"')


@template()
def copies_in_flight(b: Chunk) -> None:
    b.traits.add("not run")
    kind, (rows, columns) = b.number(), b.shape(2, 5)
    far, near = b.array((rows, columns), kind), b.array((columns,), kind)
    tag = b.op("memref.alloc() : memref<1xi32>", "memref<1xi32>")
    row, zero, count = b.scalar("index", (0, rows - 1)), b.index(0), b.index(columns)
    types = f"{far.type}, {near.type}, {tag.type}"
    operands = f"{far.name}[{row.name}, {zero.name}], {near.name}[{zero.name}]"
    b.line(f"memref.dma_start {operands}, {count.name}, {tag.name}[{zero.name}] : {types}")
    b.line(f"memref.dma_wait {tag.name}[{zero.name}], {count.name} : {tag.type}")
    i, size = b.name(), b.draw.randint(1, columns)
    b.line(f"affine.for {i} = 0 to {rows} {{")
    b.line(
        f"  affine.dma_start {far.name}[{i}, 0], {near.name}[{columns - size}], {tag.name}[0], {count.name} : {types}"
    )
    b.line(f"  affine.dma_wait {tag.name}[0], {count.name} : {tag.type}")
    kind = b.draw.choice(("read", "write"))
    b.line(f"  affine.prefetch {far.name}[{i}, {size - 1}], {kind}, locality<{b.draw.randrange(4)}>, data : {far.type}")
    b.line("}")


@template()
def addresses(b: Chunk) -> None:
    b.traits.add("not run")
    kind, size = b.number(), b.draw.randint(1, 5)
    buffer = b.array((size,), kind)
    b.result(b.op(f"memref.extract_aligned_pointer_as_index {buffer.name} : {buffer.type} -> index", "index"))
    placed = f"memref<{size}x{kind}, {b.draw.randint(1, 3)}>"
    cast = b.op(f"memref.memory_space_cast {buffer.name} : {buffer.type} to {placed}", placed)
    b.result(b.op(f"memref.load {cast.name}[{b.index(size - 1).name}] : {placed}", kind))
    lanes = f"memref<vector<{size}x{kind}>>"
    b.op(f"vector.type_cast {buffer.name} : {buffer.type} to {lanes}", lanes)


@template()
def scalable(b: Chunk) -> None:
    b.traits.add("not run")
    kind = b.draw.choice(("f32", "i32", "i8"))
    part, whole, value = f"vector<[4]x{kind}>", f"vector<[16]x{kind}>", b.scalar(kind)
    start = b.op(f"vector.splat {value.name} : {whole}", whole)
    at = 4 * b.draw.randrange(4)
    piece = b.op(f"vector.scalable.extract {start.name}[{at}] : {part} from {whole}", part)
    b.op(f"vector.scalable.insert {piece.name}, {start.name}[{4 * b.draw.randrange(4)}] : {part} into {whole}", whole)
    b.result(b.op("vector.vscale", "index"))


@template()
def shown(b: Chunk) -> None:
    b.traits.add("not run")
    kind, (rows, columns) = b.number(), b.shape(2, 3)
    vector, scalar = b.vector((rows, columns), kind), b.scalar(kind)
    b.line(f"vector.print {vector.name} : {vector.type}")
    b.line(f"vector.print {scalar.name} : {kind} punctuation <{b.draw.choice(('comma', 'no_punctuation', 'close'))}>")
    b.line(f'vector.print str "{b.draw.choice(("begin", "end"))}"')
    high, wide = b.index(rows), b.index(columns)
    solid = b.vector((2, 2, 4), kind)
    sizes = f"[{high.name}, {wide.name}], [{wide.name}, {high.name}], [4]"
    b.op(f"vector.reshape {solid.name}, {sizes} : {solid.type} to {solid.type}", solid.type)
    lane, value, inner = b.index(0), b.name(), b.name()
    b.line(f"{value} = vector.warp_execute_on_lane_0({lane.name})[32] -> (vector<1x{kind}>) {{")
    zeros = "0.0" if kind.startswith("f") else "0"
    b.line(f"  {inner} = arith.constant dense<{zeros}> : vector<32x{kind}>")
    b.line(f"  vector.yield {inner} : vector<32x{kind}>")
    b.line("}")
