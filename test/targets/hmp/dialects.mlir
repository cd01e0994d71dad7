// RUN: opt-tool %s | filecheck %s

// CHECK: opencl.global_id {axis = 0 : i64, size = 4 : i64}
func.func private @kernel(%x: memref<4xf32>, %y: memref<4xf32>) attributes {engine = "gpu", opencl.grid = array<i64: 4>} {
  %i = opencl.global_id {axis = 0 : i64, size = 4 : i64}
  %v = memref.load %x[%i] : memref<4xf32>
  memref.store %v, %y[%i] : memref<4xf32>
  func.return
}
// CHECK: opencl.launch @kernel(%x, %{{.*}}) {written = array<i64: 1>} : memref<4xf32>, memref<4xf32>
func.func private @stage0_gpu(%x: memref<4xf32>, %y: memref<4xf32>) attributes {engine = "gpu"} {
  %c0 = arith.constant 0 : index
  opencl.stage {
    %bytes = opencl.buffer : memref<16xi8>
    %z = memref.view %bytes[%c0][] : memref<16xi8> to memref<4xf32>
    opencl.launch @kernel(%x, %z) {written = array<i64: 1>} : memref<4xf32>, memref<4xf32>
    opencl.launch @kernel(%z, %y) {written = array<i64: 1>} : memref<4xf32>, memref<4xf32>
  }
  func.return
}
// CHECK: vendor.run ins(%x) outs(%y) : (memref<4xf32>), (memref<4xf32>)
func.func private @stage1_npu(%x: memref<4xf32>, %y: memref<4xf32>) attributes {engine = "npu"} {
  vendor.run ins(%x) outs(%y) : (memref<4xf32>), (memref<4xf32>) {artifact = {plugin = "reference"}}
  func.return
}
// CHECK: vendor.submit @stage1_npu ins(%x) : (memref<4xf32>)
func.func private @stage1_npu_submit(%x: memref<4xf32>) attributes {engine = "npu"} {
  vendor.submit @stage1_npu ins(%x) : (memref<4xf32>)
  func.return
}
// CHECK: vendor.collect outs(%y) : (memref<4xf32>) {artifact = {plugin = "reference"}, outstanding = 3 : i64}
func.func private @stage1_npu_collect(%y: memref<4xf32>) attributes {engine = "npu"} {
  vendor.collect outs(%y) : (memref<4xf32>) {artifact = {plugin = "reference"}, outstanding = 3 : i64}
  func.return
}
// CHECK: opencl.open @stage0_gpu
// CHECK: vendor.open [@stage1_npu]
func.func @network() {
  opencl.open @stage0_gpu
  vendor.open [@stage1_npu]
  %slot = memref.alloc() : memref<4xf32>
  %more = hmp.next_frame
  hmp.read_frame %slot {port = 0 : i64} : memref<4xf32>
  hmp.mark "task"
  hmp.write_frame %slot {port = 0 : i64} : memref<4xf32>
  func.return
}
