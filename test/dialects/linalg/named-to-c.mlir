// RUN: opt-tool %s -p bufferize,convert-kernels-to-loops,allocate-static,convert-to-emitc --interpret-each --seed 1 -t c | filecheck %s
// RUN: opt-tool %s -p linalg-generalize-named-ops --interpret-each --seed 1 | filecheck %s --check-prefix=GENERIC
// RUN: opt-tool %s -p generalize-kernels --interpret-each --seed 1 | filecheck %s --check-prefix=KERNELS

// Named ops lower as the linalg.generic that they stand for; the interpreter proves that results stay.

// CHECK: void network_run(const int8_t x[243], const int8_t k[108], const float a[24]
// CHECK: - 3) * (
// CHECK: tw_exp_f32
// GENERIC-NOT: linalg.conv_2d
// GENERIC: linalg.generic
// GENERIC: arith.maxui
// GENERIC: linalg.softmax
// KERNELS-NOT: linalg.softmax

func.func @network(%x: tensor<1x9x9x3xi8>, %k: tensor<3x3x3x4xi8>, %a: tensor<4x6xf32>)
    -> (tensor<1x4x4x4xi32>, tensor<4xi32>, tensor<4x6xf32>) {
  %c = arith.constant 0 : i32
  %three = arith.constant 3 : i32
  %e = tensor.empty() : tensor<1x4x4x4xi32>
  %z = linalg.fill ins(%c : i32) outs(%e : tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32>
  %r = linalg.conv_2d_nhwc_hwcf_q {strides = dense<2> : tensor<2xi64>}
      ins(%x, %k, %three, %three : tensor<1x9x9x3xi8>, tensor<3x3x3x4xi8>, i32, i32)
      outs(%z : tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32>
  %s = linalg.elemwise_binary {fun = #linalg.binary_fn<max_unsigned>}
      ins(%r, %z : tensor<1x4x4x4xi32>, tensor<1x4x4x4xi32>) outs(%e : tensor<1x4x4x4xi32>) -> tensor<1x4x4x4xi32>
  %m = linalg.map { arith.xori } ins(%r, %s : tensor<1x4x4x4xi32>, tensor<1x4x4x4xi32>)
      outs(%e : tensor<1x4x4x4xi32>)
  %f = tensor.empty() : tensor<4xi32>
  %g = linalg.fill ins(%three : i32) outs(%f : tensor<4xi32>) -> tensor<4xi32>
  %n = linalg.reduce { arith.addi } ins(%m : tensor<1x4x4x4xi32>) outs(%g : tensor<4xi32>) dimensions = [0, 1, 3]
  %h = tensor.empty() : tensor<4x6xf32>
  %t = linalg.softmax dimension(1) ins(%a : tensor<4x6xf32>) outs(%h : tensor<4x6xf32>) -> tensor<4x6xf32>
  func.return %m, %n, %t : tensor<1x4x4x4xi32>, tensor<4xi32>, tensor<4x6xf32>
}
