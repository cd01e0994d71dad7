// RUN: opt-tool %s -p verify-memory | filecheck %s

// What a sum is added to is read and written where it lies, when the sum is complete.

// CHECK-LABEL: func.func @in_place
func.func @in_place(%a: memref<4x6xi8>, %b: memref<6x4xi8>, %o: memref<4x4xi8>) {
  %zero = arith.constant 0 : i32
  hier.grid (%i, %k) in [2, 3]
      ins(%ta = %a[%i * 2, %k * 2] [2, 2] in "L1" address 0 stages 2 : memref<4x6xi8>,
          %tb = %b[%k * 2, 0] [2, 4] in "L1" address 16 : memref<6x4xi8>,
          %tr = %o[%i * 2, 0] [2, 4] : memref<4x4xi8>)
      outs(%to = %o[%i * 2, 0] [2, 4] : memref<4x4xi8>)
      scratch(%sum : memref<2x4xi32, "L1"> address 32) {
    hier.first %k {
      linalg.fill ins(%zero : i32) outs(%sum : memref<2x4xi32, "L1">)
    }
    nn.matmul ins(%ta, %tb : memref<2x2xi8, "L1">, memref<2x4xi8, "L1">) outs(%sum : memref<2x4xi32, "L1">)
        {accumulator = i32, accumulate, hier.kernel = {bounds = array<i64: 4, 4, 6>, maps = [affine_map<(d0, d1, d2) -> (d0, d2)>, affine_map<(d0, d1, d2) -> (d2, d1)>, affine_map<(d0, d1, d2) -> (d0, d1)>], fills = [unit, unit, unit], shapes = [array<i64: 4, 6>, array<i64: 6, 4>, array<i64: 4, 4>]}}
    hier.last %k {
      linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
          ins(%sum, %tr : memref<2x4xi32, "L1">, memref<2x4xi8, strided<[4, 1], offset: ?>>) outs(%to : memref<2x4xi8, strided<[4, 1], offset: ?>>) {
      ^bb1(%x: i32, %r: i8, %y: i8):
        %n = arith.trunci %x : i32 to i8
        %m = arith.addi %n, %r : i8
        linalg.yield %m : i8
      }
    }
    hier.yield
  }
  func.return
}
