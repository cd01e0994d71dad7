// RUN: opt-tool %s -p linalg-generalize-named-ops --interpret-each --seed 1 | filecheck %s

// CHECK-NOT: linalg.{{(pooling|map|reduce|broadcast|transpose)}}
// CHECK:     linalg.generic
// CHECK:       arith.maxui
// CHECK:     linalg.generic
// CHECK:       arith.xori
// CHECK:     linalg.generic
// CHECK-NOT: linalg.{{(pooling|map|reduce|broadcast|transpose)}}

func.func @network(%x: tensor<1x6x3xi8>, %a: tensor<3x4xi8>) -> (tensor<1x3x3xi8>, tensor<4xi8>, tensor<4x3xi8>) {
  %taps = tensor.empty() : tensor<2xi8>
  %zero = arith.constant dense<0> : tensor<1x3x3xi8>
  %p = linalg.pooling_nwc_max_unsigned {strides = dense<2> : tensor<1xi64>}
      ins(%x, %taps : tensor<1x6x3xi8>, tensor<2xi8>) outs(%zero : tensor<1x3x3xi8>) -> tensor<1x3x3xi8>
  %e = tensor.empty() : tensor<3x4xi8>
  %m = linalg.map { arith.xori } ins(%a, %a : tensor<3x4xi8>, tensor<3x4xi8>) outs(%e : tensor<3x4xi8>)
  %ones = arith.constant dense<1> : tensor<4xi8>
  %r = linalg.reduce { arith.addi } ins(%m : tensor<3x4xi8>) outs(%ones : tensor<4xi8>) dimensions = [0]
  %b = linalg.broadcast ins(%r : tensor<4xi8>) outs(%e : tensor<3x4xi8>) dimensions = [0]
  %f = tensor.empty() : tensor<4x3xi8>
  %t = linalg.transpose ins(%b : tensor<3x4xi8>) outs(%f : tensor<4x3xi8>) permutation = [1, 0]
  func.return %p, %r, %t : tensor<1x3x3xi8>, tensor<4xi8>, tensor<4x3xi8>
}
