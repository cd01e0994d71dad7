// RUN: opt-tool %s --split-input-file --verify-diagnostics

!rows = memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 floordiv 4, d1 floordiv 2)>>
func.func @other_instance() {
  %k = memref.alloc() : !rows
  hier.concurrent {
    hier.program "node" on "array" over (%h, %p) in [2, 2] {
      // expected-error@below {{move that of another one by hier.shift, or by a stream}}
      %own = hier.local %k[%p, %h] : !rows -> memref<4x2xi8, "NODE">
    }
  }
  func.return
}

// -----

!rows = memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 floordiv 4, d1 floordiv 2)>>
func.func @shard() {
  %k = memref.alloc() : !rows
  hier.concurrent {
    hier.program "node" on "array" over (%h, %p) in [2, 2] {
      // expected-error@below {{expected a shard of the type memref<4x2xi8, "NODE">}}
      %own = hier.local %k[%h, %p] : !rows -> memref<2x4xi8, "NODE">
    }
  }
  func.return
}

// -----

!rows = memref<8x4xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1) -> (d0 floordiv 3, d1 floordiv 2)>>
func.func @boxes_differ() {
  %k = memref.alloc() : !rows
  // expected-error@below {{boxes of equal shape along axis 0}}
  hier.shift %k to %k along 0 by 1 : !rows
  func.return
}

// -----

!rows = memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 mod 2, d1 floordiv 2)>>
func.func @cyclic() {
  %k = memref.alloc() : !rows
  // expected-error@below {{boxes of equal shape along axis 0}}
  hier.shift %k to %k along 0 by 1 : !rows
  func.return
}

// -----

!rows = memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 floordiv 4, d0 floordiv 4)>>
func.func @diagonal() {
  %k = memref.alloc() : !rows
  // expected-error@below {{boxes of equal shape along axis 0}}
  hier.shift %k to %k along 0 by 1 : !rows
  func.return
}

// -----

!rows = memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 floordiv 2, d1 floordiv 2)>>
func.func @outside() {
  %k = memref.alloc() : !rows
  // expected-error@below {{an instance that does not exist: 3 along coordinate 0, by}}
  hier.shift %k to %k along 0 by 1 : !rows
  func.return
}

// -----

func.func @no_coordinate() {
  // expected-error@below {{expected a map to 2 coordinates}}
  %k = memref.alloc() : memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 floordiv 4)>>
  func.return
}

// -----

func.func @two_axes() {
  // expected-error@below {{expected coordinates that are sums of terms of one axis each}}
  %k = memref.alloc() : memref<2x2xi8, #hier.sharded<"NODE" over [4] (d0, d1) -> ((d0 * 2 + d1) floordiv 2)>>
  func.return
}

// -----

!rows = memref<2x2xi8, #hier.sharded<"NODE" over [4] (d0, d1) -> (d0 + d1)>>
func.func @no_digits() {
  %k = memref.alloc() : !rows
  // expected-error@below {{boxes of equal shape of a coordinate with several axes}}
  hier.shift %k to %k along 0 by 1 : !rows
  func.return
}

// -----

!rows = memref<4x4xi8, #hier.sharded<"NODE" over [4] (d0, d1) -> (d0)>>
func.func @rings_differ() {
  %k = memref.alloc() : !rows
  // expected-error@below {{expected rings that 4 instances along coordinate 0 divide into, found within 3}}
  hier.shift %k to %k along 0 by 1 within 3 : !rows
  func.return
}

// -----

!part = memref<8x4xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1) -> (d0 floordiv 2, d1 floordiv 2)>>
!whole = memref<4x8x4xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (d0, d2 floordiv 2)>>
func.func @gathered_along_another_axis() {
  %part = memref.alloc() : !part
  %whole = memref.alloc() : !whole
  // expected-error@below {{expected shards of the target of [1, 2, 8], found [1, 8, 2]}}
  hier.all_gather %part to %whole along 0 axis 1 : !part, !whole
  func.return
}

// -----

!part = memref<8x4xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1) -> (d0 floordiv 2, d1 floordiv 2)>>
!whole = memref<4x8x4xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (d0, d2 floordiv 2)>>
func.func @gathered_by_three() {
  %part = memref.alloc() : !part
  %whole = memref.alloc() : !whole
  // expected-error@below {{expected a distance that 4 instances divide into, found by 3}}
  hier.all_gather %part to %whole along 0 axis 0 by 3 : !part, !whole
  func.return
}

// -----

!part = memref<8x4xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1) -> (d0 floordiv 2, d1 floordiv 2)>>
!other = memref<2x8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1, d2) -> (d0, d2 floordiv 2)>>
func.func @gathered_elsewhere() {
  %part = memref.alloc() : !part
  %whole = memref.alloc() : !other
  // expected-error@below {{expected a target in the instances of the source, found memref<2x8x4xi8}}
  hier.all_gather %part to %whole along 0 axis 0 : !part, !other
  func.return
}

// -----

!part = memref<8x4xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1) -> (d0 floordiv 2, d1 floordiv 2)>>
!whole = memref<4x8x4xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (d0, d2 floordiv 2)>>
func.func @gathered_along_no_axis() {
  %part = memref.alloc() : !part
  %whole = memref.alloc() : !whole
  // expected-error@below {{expected one of 2 axes of the source, found axis 2}}
  hier.all_gather %part to %whole along 0 axis 2 : !part, !whole
  func.return
}

// -----

!all = memref<4x2x8xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (d0, d1)>>
!one = memref<4x1x8xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (3 - d0, 1)>>
func.func @other_rows() {
  %a = memref.alloc() : !all
  %b = memref.alloc() : !one
  // expected-error@below {{with extent 1 along axis 1 and the other axes sharded alike}}
  hier.reduce add %a to %b along 1 : !all, !one
  func.return
}

// -----

!all = memref<4x2x8xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (d0, d1)>>
!wide = memref<4x2x8xi32, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (d0, d1)>>
func.func @element() {
  %a = memref.alloc() : !all
  %b = memref.alloc() : !wide
  // expected-error@below {{expected elements of the type i8, found i32}}
  hier.reduce add %a to %b along 1 : !all, !wide
  func.return
}

// -----

func.func @overlap() {
  // expected-error@below {{expected disjoint instances of 'array', found programs 'a' over [2, 4] from [0, 0] and 'b' over [2, 2] from [1, 2]}}
  hier.concurrent {
    hier.program "a" on "array" over (%h, %p) in [2, 4] {
    }
    hier.program "b" on "array" over (%h, %p) in [2, 2] from [1, 2] {
    }
  }
  func.return
}
