// RUN: opt-tool %s -p convert-requantize-to-rescale | filecheck %s

// CHECK-LABEL: @sum_of_bytes
// CHECK: %[[F:.*]] = arith.constant 0.858{{.*}} : f32
// CHECK-NEXT: quant.rescale %{{.*}}, %[[F]] zero 3 clip 0 to 127 : i32, f32 -> i8
func.func @sum_of_bytes(%a: i8, %b: i8) -> i8 {
  %0 = arith.extsi %a : i8 to i32
  %1 = arith.extsi %b : i8 to i32
  %2 = arith.addi %0, %1 overflow<nsw> : i32
  %3 = arith.constant 1800066 : i32
  %4 = arith.constant 6291456 : i32
  %5 = quant.requantize %2, %3, %4 shift 21 clip 0 to 127 in i32 : i32, i32, i32 -> i8
  func.return %5 : i8
}

// CHECK-LABEL: @mean
// CHECK: quant.rescale
func.func @mean(%x: tensor<1x8x8x32xi8>) -> tensor<1x1x1x32xi8> {
  %0 = tensor.empty() : tensor<1x1x1x32xi8>
  %1 = nn.reduce ins(%x : tensor<1x8x8x32xi8>) outs(%0 : tensor<1x1x1x32xi8>)
      {kind = "sum", accumulator = i32, keep_dims, axes = array<i64: 1, 2>} epilogue() at [] {
  ^bb0(%sum: i32):
    %2 = arith.constant 904896394 : i64
    %3 = arith.constant 0 : i64
    %4 = quant.requantize %sum, %2, %3 shift 35 clip -128 to 127 in i64 : i32, i64, i64 -> i8
    linalg.yield %4 : i8
  }
  func.return %1 : tensor<1x1x1x32xi8>
}
