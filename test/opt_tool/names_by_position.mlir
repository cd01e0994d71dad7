// RUN: opt-tool %s -p host-pipeline --interpret-each -t c | filecheck %s

// What has no name in the model is named by its position, at every level: --interpret-each finds it again.
// CHECK: void network_run(
func.func @network(%x: tensor<4xi8>) -> tensor<4xi8> {
  %e = tensor.empty() : tensor<4xi8>
  %y = nn.ita_max ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {levels = 256 : i64, accumulator = i32, element = i8}
  func.return %y : tensor<4xi8>
}
