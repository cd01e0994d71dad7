// RUN: opt-tool %s -p convert-to-opencl,convert-to-emitc --split-input-file --verify-diagnostics
// RUN: not opt-tool %S/pipeline-frames.mlir -t opencl 2>&1 | filecheck %s --check-prefix=NONE
// NONE: the module has no kernels of an OpenCL device

func.func private @stage0_gpu(%x: memref<4xf32>) attributes {engine = "gpu", hmp.layers = array<i64: 0, 0>} {
  %c0 = arith.constant 0 : index
  // expected-error@below {{a stage of an OpenCL device computes 'memref.load' between its kernels}}
  %0 = memref.load %x[%c0] : memref<4xf32>
  func.return
}
// -----
// A number that is computed says where a buffer begins.
func.func private @stage0_gpu(%bytes: memref<64xi8>) attributes {engine = "gpu", hmp.layers = array<i64: 0, 0>} {
  %c8 = arith.constant 8 : index
  // expected-error@below {{a stage of an OpenCL device computes 'arith.addi' between its kernels}}
  %0 = arith.addi %c8, %c8 : index
  %1 = memref.view %bytes[%0][] : memref<64xi8> to memref<4xf32>
  func.return
}
// -----
memref.global "private" @state : memref<4xf32> = dense<0.0> {tilewright.state}
func.func private @kernel(%out: memref<4xf32>) attributes {engine = "gpu"} {
  func.return
}
func.func private @stage0_gpu() attributes {engine = "gpu", hmp.layers = array<i64: 0, 0>} {
  // expected-error@below {{a stage of an OpenCL device uses the state @state}}
  %0 = memref.get_global @state : memref<4xf32>
  func.call @kernel(%0) : (memref<4xf32>) -> ()
  func.return
}
// -----
// expected-error@below {{a kernel of an OpenCL device checks entries of a table}}
func.func private @kernel(%table: memref<4xi64>, %out: memref<4xindex>) attributes {engine = "gpu"} {
  %c0 = arith.constant 0 : index
  %0 = hier.lookup %table[%c0] in [0, 4) : memref<4xi64>
  memref.store %0, %out[%c0] : memref<4xindex>
  func.return
}
func.func private @stage0_gpu(%table: memref<4xi64>, %out: memref<4xindex> {tilewright.output}) attributes {engine = "gpu", hmp.layers = array<i64: 0, 0>} {
  func.call @kernel(%table, %out) : (memref<4xi64>, memref<4xindex>) -> ()
  func.return
}
func.func @network(%table: memref<4xi64>, %out: memref<4xindex> {tilewright.output}) {
  func.call @stage0_gpu(%table, %out) : (memref<4xi64>, memref<4xindex>) -> ()
  func.return
}
// -----
func.func private @kernel(%out: memref<4xf32>) attributes {engine = "gpu"} {
  %c0 = arith.constant 0 : index
  %0 = arith.constant 1.0 : f32
  memref.store %0, %out[%c0] : memref<4xf32>
  func.return
}
func.func private @stage0_gpu(%x: memref<4xf32>) attributes {engine = "gpu", hmp.layers = array<i64: 0, 0>} {
  // expected-error@below {{a kernel writes to an input of its stage}}
  func.call @kernel(%x) : (memref<4xf32>) -> ()
  func.return
}
func.func @network(%x: memref<4xf32>) {
  func.call @stage0_gpu(%x) : (memref<4xf32>) -> ()
  func.return
}
// -----
func.func private @helper(%out: memref<4xf32>) {
  func.return
}
func.func private @kernel(%out: memref<4xf32>) attributes {engine = "gpu"} {
  // expected-error@below {{a kernel of an OpenCL device calls @helper}}
  func.call @helper(%out) : (memref<4xf32>) -> ()
  func.return
}
func.func private @stage0_gpu(%x: memref<4xf32>) attributes {engine = "gpu", hmp.layers = array<i64: 0, 0>} {
  func.call @kernel(%x) : (memref<4xf32>) -> ()
  func.return
}
// -----
// A stage that takes the place of a buffer.
func.func private @kernel(%in0: memref<4xf32>, %out: memref<4xf32>) attributes {engine = "gpu"} {
  func.return
}
func.func private @stage0_gpu(%bytes: memref<64xi8>, %at: index, %y: memref<4xf32> {tilewright.output}) attributes {engine = "gpu", hmp.layers = array<i64: 0, 0>} {
  // expected-error@below {{'memref.view' of a stage of an OpenCL device begins at a place that is known only at run time}}
  %0 = memref.view %bytes[%at][] : memref<64xi8> to memref<4xf32>
  func.call @kernel(%0, %y) : (memref<4xf32>, memref<4xf32>) -> ()
  func.return
}
func.func @network(%bytes: memref<64xi8>, %at: index, %y: memref<4xf32> {tilewright.output}) {
  func.call @stage0_gpu(%bytes, %at, %y) : (memref<64xi8>, index, memref<4xf32>) -> ()
  func.return
}
// -----
func.func @f(%x: memref<4xf32>) {
  // expected-error@below {{there is no function @kernel}}
  opencl.launch @kernel(%x) {written = array<i64: 0>} : memref<4xf32>
  func.return
}
// -----
func.func private @stage0_gpu(%x: memref<4xf32>) {
  func.return
}
func.func @f(%x: memref<4xf32>) {
  // expected-error@below {{there is no stage @stage0_gpu}}
  opencl.open @stage0_gpu
  func.return
}
