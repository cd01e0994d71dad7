// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_adder.toml},map-engines,specialize-additions | filecheck %s
// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_adder.toml},map-engines,specialize-additions,plan-memory,verify-memory -o %t.mlir

// CHECK-LABEL: func.func @sum
// CHECK-NEXT:    nn.add ins(%a, %b : memref<8x32xi8>, memref<8x32xi8>) outs(%c : memref<8x32xi8>) {accumulator = i32, engine = "loader", refusals = {{{.*}}core = "816 cycles here, 27 on 'loader'"}} epilogue() at [] {
// CHECK-NEXT:    ^bb0(%[[S:.*]]: i32):
// CHECK-NEXT:      %[[F:.*]] = arith.constant
// CHECK-NEXT:      %[[R:.*]] = quant.rescale %[[S]], %[[F]] zero 0 clip 0 to 127
// CHECK-NEXT:      linalg.yield %[[R]] : i8
func.func @sum(%a: memref<8x32xi8>, %b: memref<8x32xi8>, %c: memref<8x32xi8>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<8x32xi8>, memref<8x32xi8>) outs(%c : memref<8x32xi8>) {
  ^bb0(%0: i8, %1: i8, %2: i8):
    %3 = arith.extsi %0 : i8 to i32
    %4 = arith.extsi %1 : i8 to i32
    %5 = arith.addi %4, %3 overflow<nsw> : i32
    %f = arith.constant 0.5 : f32
    %6 = quant.rescale %5, %f zero 0 clip 0 to 127 : i32, f32 -> i8
    linalg.yield %6 : i8
  }
  func.return
}
