// RUN: opt-tool %s --target gemmini/bf16 -p attach-machine{target=gemmini/bf16},map-engines,unfuse-epilogues,plan-memory,allocate-static,expand-grid,outline-kernels,lower-to-gemmini,verify-memory | filecheck %s

// A ReLU of floats or of bf16 is the store's, which rounds sums.
// CHECK:         gemmini.config_st {{.*}} {stride = array<i64: 0, 1>, size = 2 : i64, relu} : memref<24x32xbf16>
// CHECK:         gemmini.mvout %near{{.*}} memref<{{.*}}x8xf32, "ACC">, memref<24x32xbf16>
// CHECK-LABEL: func.func @rounded
func.func @rounded(%a: memref<24x16xbf16>, %b: memref<16x32xbf16>, %c: memref<24x32xbf16>) {
  nn.matmul ins(%a, %b : memref<24x16xbf16>, memref<16x32xbf16>) outs(%c : memref<24x32xbf16>) {accumulator = f32} epilogue() at [] {
  ^bb0(%s: f32):
    %n = arith.truncf %s : f32 to bf16
    %w = arith.extf %n : bf16 to f32
    %z = arith.constant 0.0 : f32
    %r = arith.maximumf %w, %z : f32
    %m = arith.truncf %r : f32 to bf16
    linalg.yield %m : bf16
  }
  func.return
}

// Sums leave as floats where the result is of such.
// CHECK:         gemmini.config_st {{.*}} {stride = array<i64: 0, 1>, size = 4 : i64} : memref<24x32xf32>
// CHECK:         gemmini.mvout_full %near{{.*}} memref<{{.*}}x8xf32, "ACC">, memref<24x32xf32>
// CHECK-LABEL: func.func @sums
func.func @sums(%a: memref<24x16xbf16>, %b: memref<16x32xbf16>, %c: memref<24x32xf32>) {
  nn.matmul ins(%a, %b : memref<24x16xbf16>, memref<16x32xbf16>) outs(%c : memref<24x32xf32>) {accumulator = f32}
  func.return
}

// No store rounds sums to bf16 and keeps them as floats, or rounds them to other types: the core does.
// CHECK-LABEL: func.func @twice
// CHECK:         func.call @{{.*}}
// CHECK:         func.call @elementwise_0
func.func @twice(%a: memref<24x16xbf16>, %b: memref<16x32xbf16>, %c: memref<24x32xf32>) {
  nn.matmul ins(%a, %b : memref<24x16xbf16>, memref<16x32xbf16>) outs(%c : memref<24x32xf32>) {accumulator = f32} epilogue() at [] {
  ^bb0(%s: f32):
    %n = arith.truncf %s : f32 to bf16
    %w = arith.extf %n : bf16 to f32
    linalg.yield %w : f32
  }
  func.return
}
