// RUN: opt-tool %s -p attach-machine{target=%S/../machines/systolic_adder.toml},map-engines,specialize-additions | filecheck %s

// A factor of a summand, a summand that is used again, a transposed one, and a body that the link out does not compute.
// CHECK-LABEL: func.func @others
// CHECK-COUNT-3: linalg.generic
// CHECK:         linalg.generic {{.*}}loader = "no engine of 'systolic_adder' takes the sums of 'nn.add' out of ACC; {{.*}}the link 'mvout' cannot 'arith.xori'
// CHECK-NOT: nn.add ins
func.func @others(%a: memref<32x32xi8>, %b: memref<32x32xi8>, %c: memref<32x32xi8>) {
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<32x32xi8>, memref<32x32xi8>) outs(%c : memref<32x32xi8>) {
  ^bb0(%0: i8, %1: i8, %2: i8):
    %3 = arith.extsi %0 : i8 to i32
    %4 = arith.extsi %1 : i8 to i32
    %k = arith.constant 3 : i32
    %t = arith.muli %3, %k overflow<nsw> : i32
    %5 = arith.addi %4, %t overflow<nsw> : i32
    %f = arith.constant 0.5 : f32
    %6 = quant.rescale %5, %f zero 0 clip 0 to 127 : i32, f32 -> i8
    linalg.yield %6 : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<32x32xi8>, memref<32x32xi8>) outs(%c : memref<32x32xi8>) {
  ^bb0(%0: i8, %1: i8, %2: i8):
    %3 = arith.extsi %0 : i8 to i32
    %4 = arith.extsi %1 : i8 to i32
    %5 = arith.addi %4, %3 overflow<nsw> : i32
    %7 = arith.addi %5, %3 overflow<nsw> : i32
    %f = arith.constant 0.5 : f32
    %6 = quant.rescale %7, %f zero 0 clip 0 to 127 : i32, f32 -> i8
    linalg.yield %6 : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<32x32xi8>, memref<32x32xi8>) outs(%c : memref<32x32xi8>) {
  ^bb0(%0: i8, %1: i8, %2: i8):
    %3 = arith.extsi %0 : i8 to i32
    %4 = arith.extsi %1 : i8 to i32
    %5 = arith.addi %4, %3 overflow<nsw> : i32
    %f = arith.constant 0.5 : f32
    %6 = quant.rescale %5, %f zero 0 clip 0 to 127 : i32, f32 -> i8
    linalg.yield %6 : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>],
                  iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : memref<32x32xi8>, memref<32x32xi8>) outs(%c : memref<32x32xi8>) {
  ^bb0(%0: i8, %1: i8, %2: i8):
    %3 = arith.extsi %0 : i8 to i32
    %4 = arith.extsi %1 : i8 to i32
    %5 = arith.addi %4, %3 overflow<nsw> : i32
    %7 = arith.xori %5, %5 : i32
    %6 = arith.trunci %7 : i32 to i8
    linalg.yield %6 : i8
  }
  func.return
}
