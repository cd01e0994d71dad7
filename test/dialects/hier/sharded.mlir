// RUN: opt-tool %s --verify-each=roundtrip -p canonicalize | filecheck %s

!rows = memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 floordiv 4, d1 floordiv 2)>>
!one = memref<4x1x8xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (d0, 1)>>
!all = memref<4x2x8xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (d0, d1)>>
!gathered = memref<2x8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1, d2) -> (d1 floordiv 4, d0)>>
!halves = memref<2x8x4xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (d1 floordiv 4 * 2 + d0, d1 floordiv 2 mod 2)>>
!arrays = memref<8x4xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1) -> (d0 floordiv 4 * 2 + d1 floordiv 2, d0 floordiv 2 mod 2)>>

func.func @values(%x: memref<8x4xi8>) {
  // CHECK: %k = memref.alloc() : memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 floordiv 4, d1 floordiv 2)>>
  %k = memref.alloc() : !rows
  %one = memref.alloc() : !one
  %all = memref.alloc() : !all
  // CHECK-NEXT: %one = memref.alloc()
  // CHECK-NEXT: %all = memref.alloc()
  // CHECK-NEXT: memref.copy %x, %k : memref<8x4xi8> to memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 floordiv 4, d1 floordiv 2)>>
  memref.copy %x, %k : memref<8x4xi8> to !rows
  // CHECK-NEXT: hier.shift %k to %k along 1 by -1 : memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 floordiv 4, d1 floordiv 2)>>{{$}}
  hier.shift %k to %k along 1 by -1 : !rows
  // CHECK-NEXT: hier.broadcast %one to %all along 1 : memref<4x1x8xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (d0, 1)>>, memref<4x2x8xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1, d2) -> (d0, d1)>>
  hier.broadcast %one to %all along 1 : !one, !all
  // CHECK-NEXT: hier.reduce max %all to %one along 1 : memref<4x2x8xi8,
  hier.reduce max %all to %one along 1 : !all, !one
  // CHECK-NEXT: hier.reduce add %all to %all along 1 : memref<4x2x8xi8,
  hier.reduce add %all to %all along 1 : !all
  // CHECK-NEXT: %arrays = memref.alloc() : memref<8x4xi8, #hier.sharded<"NODE" over [4, 2] (d0, d1) -> (d0 floordiv 4 * 2 + d1 floordiv 2, d0 floordiv 2 mod 2)>>
  // CHECK-NEXT: hier.shift %arrays to %arrays along 0 by 1 within 2 : memref<8x4xi8,
  %arrays = memref.alloc() : !arrays
  hier.shift %arrays to %arrays along 0 by 1 within 2 : !arrays
  %rows = memref.alloc() : !gathered
  // CHECK: hier.all_gather %k to %rows along 1 axis 1 : memref<8x4xi8, {{.*}}>, memref<2x8x4xi8,
  hier.all_gather %k to %rows along 1 axis 1 : !rows, !gathered
  %halves = memref.alloc() : !halves
  // CHECK: hier.all_gather %arrays to %halves along 0 axis 1 by 2 within 4 : memref<8x4xi8,
  hier.all_gather %arrays to %halves along 0 axis 1 by 2 within 4 : !arrays, !halves
  hier.concurrent {
    // CHECK: hier.program "first" on "array" over (%h, %p) in [1, 2] {
    hier.program "first" on "array" over (%h, %p) in [1, 2] {
      // CHECK-NEXT: %own = hier.local %k[%h, %p] : memref<8x4xi8, #hier.sharded<"NODE" over [2, 2] (d0, d1) -> (d0 floordiv 4, d1 floordiv 2)>> -> memref<4x2xi8, "NODE">
      %own = hier.local %k[%h, %p] : !rows -> memref<4x2xi8, "NODE">
      memref.copy %own, %own : memref<4x2xi8, "NODE"> to memref<4x2xi8, "NODE">
    }
    // CHECK: hier.program "second" on "array" over (%{{.*}}, %{{.*}}) in [1, 2] from [1, 0] {
    hier.program "second" on "array" over (%h, %p) in [1, 2] from [1, 0] {
      %own = hier.local %k[%h, %p] : !rows -> memref<4x2xi8, "NODE">
      memref.copy %own, %own : memref<4x2xi8, "NODE"> to memref<4x2xi8, "NODE">
    }
  }
  func.return
}
