// RUN: opt-tool %s -p attach-machine{target=siracusa},lower-to-npu,canonicalize,cse | filecheck %s

// A padded convolution: the pointer leads to the image with its padding, weights count from the weight memory.

// CHECK-LABEL: func.func @conv
// CHECK-DAG:   %[[zero:.*]] = arith.constant 0 : i32
// CHECK-DAG:   %[[base:.*]] = arith.constant -272629760 : i32
// CHECK-DAG:   %[[before:.*]] = arith.constant -270 : i32
// CHECK-DAG:   %[[row:.*]] = arith.constant 240 : i32
// CHECK-DAG:   %[[pads:.*]] = arith.constant 286326784 : i32
// CHECK-DAG:   %[[conf:.*]] = arith.constant 42567191 : i32
// CHECK-DAG:   %[[w:.*]] = npu.address %w
// CHECK-DAG:   %[[x:.*]] = npu.address %x
// CHECK-DAG:   %[[o:.*]] = npu.address %o
// CHECK-DAG:   %[[s:.*]] = npu.address %s
// CHECK-DAG:   %[[b:.*]] = npu.address %b
// CHECK-DAG:   %[[weights:.*]] = arith.addi %[[w]], %[[base]] : i32
// CHECK-DAG:   %[[input:.*]] = arith.addi %[[x]], %[[before]] : i32
// CHECK:       npu.acquire
// CHECK-NEXT:  npu.write %[[weights]] {index = 0 : i64}
// CHECK-NEXT:  npu.write %[[input]] {index = 1 : i64}
// CHECK-NEXT:  npu.write %[[o]] {index = 2 : i64}
// CHECK-NEXT:  npu.write %[[s]] {index = 3 : i64}
// CHECK-NEXT:  npu.write %[[zero]] {index = 4 : i64}
// CHECK-NEXT:  npu.write %[[b]] {index = 5 : i64}
// CHECK-NEXT:  npu.write %{{.*}} {index = 6 : i64}
// CHECK-NEXT:  npu.write %[[row]] {index = 7 : i64}
// CHECK:       npu.write %[[pads]] {index = 20 : i64}
// CHECK-NEXT:  npu.write %{{.*}} {index = 21 : i64}
// CHECK-NEXT:  npu.write %[[zero]] {index = 22 : i64}
// CHECK-NEXT:  npu.write %[[conf]] {index = 23 : i64}
// CHECK-NEXT:  npu.trigger
// CHECK-NEXT:  npu.wait
// CHECK-NEXT:  func.return
func.func @conv(%x: memref<1x8x8x30xi8, "L1">, %w: memref<40x512xi8, "WMEM">, %s: memref<40xi8, "L1">,
                %b: memref<40xi32, "L1">, %o: memref<1x8x8x40xi8, "L1">) {
  npu.conv ins(%x, %w : memref<1x8x8x30xi8, "L1">, memref<40x512xi8, "WMEM">) outs(%o : memref<1x8x8x40xi8, "L1">)
      {kind = "dense", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 1, 1, 1, 1>, unsigned = array<i64: 0>}
      epilogue(%s, %b : memref<40xi8, "L1">, memref<40xi32, "L1">)
      at [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>] {
  ^bb0(%sum: i32, %scale: i8, %bias: i32):
    %r = npu.requantize %sum, %scale, %bias shift 9 clip -128 to 127 : i32, i8, i32 -> i8
    linalg.yield %r : i8
  }
  func.return
}

// Dense jobs with weights in the weight memory load inputs ahead (bit 10 of the configuration, above); depthwise ones, and
// those with weights in L1, do not.

// CHECK-LABEL: func.func @no_prefetch
// CHECK:       %[[dense:.*]] = arith.constant 71335943 : i32
// CHECK:       npu.write %[[dense]] {index = 23 : i64}
// CHECK:       %[[depthwise:.*]] = arith.constant 71336487 : i32
// CHECK:       npu.write %[[depthwise]] {index = 23 : i64}
func.func @no_prefetch(%x: memref<1x8x8x28xi8, "L1">, %near: memref<28x256xi8, "L1">, %own: memref<1x256xi8, "WMEM">,
                       %o: memref<1x6x6x28xi32, "L1">) {
  npu.conv ins(%x, %near : memref<1x8x8x28xi8, "L1">, memref<28x256xi8, "L1">) outs(%o : memref<1x6x6x28xi32, "L1">)
      {kind = "dense", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>}
  npu.conv ins(%x, %own : memref<1x8x8x28xi8, "L1">, memref<1x256xi8, "WMEM">) outs(%o : memref<1x6x6x28xi32, "L1">)
      {kind = "depthwise", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>}
  func.return
}

// Each image of a batch is a job; views keep their strides.

// CHECK-LABEL: func.func @batch
// CHECK-DAG:   %[[image:.*]] = arith.constant 500 : i32
// CHECK-DAG:   %[[out:.*]] = arith.constant 256 : i32
// CHECK-DAG:   %[[pixel:.*]] = arith.constant 10 : i32
// CHECK-DAG:   %[[row:.*]] = arith.constant 60 : i32
// CHECK:       scf.for %[[n:.*]] = %{{.*}} to %{{.*}} step
// CHECK-NEXT:    %[[i:.*]] = arith.index_cast %[[n]] : index to i32
// CHECK-NEXT:    %[[a:.*]] = arith.muli %[[i]], %[[image]] : i32
// CHECK-NEXT:    %[[c:.*]] = arith.muli %[[i]], %[[out]] : i32
// CHECK:         %[[x:.*]] = npu.address %x
// CHECK:         %[[o:.*]] = npu.address %o
// CHECK:         %[[input:.*]] = arith.addi %[[x]], %[[a]] : i32
// CHECK:         %[[output:.*]] = arith.addi %[[o]], %[[c]] : i32
// CHECK:         npu.write %[[input]] {index = 1 : i64}
// CHECK-NEXT:    npu.write %[[output]] {index = 2 : i64}
// CHECK:         npu.write %[[pixel]] {index = 6 : i64}
// CHECK-NEXT:    npu.write %[[row]] {index = 7 : i64}
// CHECK:         npu.wait
func.func @batch(%x: memref<3x4x4x4xi8, strided<[500, 60, 10, 1], offset: ?>, "L1">, %w: memref<4x32xi8, "L1">, %o: memref<3x4x4x4xi32, "L1">) {
  npu.conv ins(%x, %w : memref<3x4x4x4xi8, strided<[500, 60, 10, 1], offset: ?>, "L1">, memref<4x32xi8, "L1">) outs(%o : memref<3x4x4x4xi32, "L1">)
      {kind = "pointwise", bits = 8 : i64, offset = -128 : i64, pads = array<i64: 0, 0, 0, 0>}
  func.return
}

// The rows of a matrix are done as 6 x 6 pixels and one more, in a queue: they are waited for together.

// CHECK-LABEL: func.func @rows
// CHECK:       npu.acquire
// CHECK:       npu.trigger
// CHECK-NOT:   npu.wait
// CHECK:       %[[x1:.*]] = arith.constant 1440 : i32
// CHECK-NEXT:  %[[x:.*]] = arith.addi %{{.*}}, %[[x1]] : i32
// CHECK-NEXT:  %[[o1:.*]] = arith.constant 288 : i32
// CHECK-NEXT:  %[[o:.*]] = arith.addi %{{.*}}, %[[o1]] : i32
// CHECK:       npu.acquire
// CHECK:       npu.write %[[x]] {index = 1 : i64}
// CHECK-NEXT:  npu.write %[[o]] {index = 2 : i64}
// CHECK:       npu.trigger
// CHECK-NEXT:  npu.wait
// CHECK-NOT:   npu.acquire
// CHECK:       func.return
func.func @rows(%x: memref<37x40xi8, "L1">, %w: memref<2x64xi8, "L1">, %o: memref<37x2xi32, "L1">) {
  npu.matmul ins(%x, %w : memref<37x40xi8, "L1">, memref<2x64xi8, "L1">) outs(%o : memref<37x2xi32, "L1">) {bits = 8 : i64, offset = -128 : i64}
  func.return
}

// Kernels of others stay.

// CHECK-LABEL: func.func @others
// CHECK-NOT:   npu.
// CHECK:       nn.matmul
func.func @others(%x: memref<4x8xi8, "L1">, %w: memref<8x2xi8, "L1">, %o: memref<4x2xi32, "L1">) {
  nn.matmul ins(%x, %w : memref<4x8xi8, "L1">, memref<8x2xi8, "L1">) outs(%o : memref<4x2xi32, "L1">) {accumulator = i32}
  func.return
}

// A kernel that is launched is waited for where it is joined, unless it is called elsewhere as well.

// CHECK-LABEL: func.func private @launched
// CHECK:       npu.trigger
// CHECK-NOT:   npu.wait
// CHECK:       func.return
func.func private @launched(%x: memref<1x40xi8, "L1">, %w: memref<2x64xi8, "L1">, %o: memref<1x2xi32, "L1">) {
  npu.matmul ins(%x, %w : memref<1x40xi8, "L1">, memref<2x64xi8, "L1">) outs(%o : memref<1x2xi32, "L1">) {bits = 8 : i64, offset = -128 : i64}
  func.return
}

// CHECK-LABEL: func.func private @both
// CHECK:       npu.trigger
// CHECK-NEXT:  npu.wait
func.func private @both(%x: memref<1x40xi8, "L1">, %w: memref<2x64xi8, "L1">, %o: memref<1x2xi32, "L1">) {
  npu.matmul ins(%x, %w : memref<1x40xi8, "L1">, memref<2x64xi8, "L1">) outs(%o : memref<1x2xi32, "L1">) {bits = 8 : i64, offset = -128 : i64}
  func.return
}

// CHECK-LABEL: func.func @network
// CHECK-NEXT:  func.call @launched
// CHECK-NEXT:  func.call @both
// CHECK-NEXT:  memref.copy
// CHECK-NEXT:  npu.wait
// CHECK-NEXT:  npu.wait
// CHECK-NEXT:  func.call @both
func.func @network(%x: memref<1x40xi8, "L1">, %w: memref<2x64xi8, "L1">, %o: memref<1x2xi32, "L1">, %p: memref<1x2xi32, "L1">, %q: memref<1x2xi32, "L1">) {
  %one = hier.launch {
    func.call @launched(%x, %w, %o) : (memref<1x40xi8, "L1">, memref<2x64xi8, "L1">, memref<1x2xi32, "L1">) -> ()
  }
  %two = hier.launch {
    func.call @both(%x, %w, %p) : (memref<1x40xi8, "L1">, memref<2x64xi8, "L1">, memref<1x2xi32, "L1">) -> ()
  }
  memref.copy %q, %q : memref<1x2xi32, "L1"> to memref<1x2xi32, "L1">
  hier.join %one
  hier.join %two
  func.call @both(%x, %w, %q) : (memref<1x40xi8, "L1">, memref<2x64xi8, "L1">, memref<1x2xi32, "L1">) -> ()
  func.return
}
