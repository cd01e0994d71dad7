// RUN: opt-tool %s -p convert-to-opencl | filecheck %s
// RUN: opt-tool %s -p convert-to-opencl --verify-each=roundtrip --interpret-each -o %t
// RUN: opt-tool %s -p convert-to-opencl -t opencl | filecheck %s --check-prefix=CL
// RUN: opt-tool %s -p convert-to-opencl,convert-to-emitc -t opencl | filecheck %s --check-prefix=CL
// RUN: opt-tool %s -p convert-to-opencl,convert-to-emitc -t c | filecheck %s --check-prefix=C

// Four parallel loops share three axes, the innermost one is the axis 0; the table that the kernel reads is an argument.
// The copy becomes loops, and the arena memory of the device. A kernel of another processor is C.

// CHECK-NOT: @stage0_gpu_arena
// CHECK-LABEL: func.func private @scale_0(
// CHECK-SAME: %table: memref<2xf32>
// CHECK-SAME: opencl.grid = array<i64: 5, 4, 6>
// CHECK: {tilewright.parallel, opencl.axis = 0 : i64}
// CHECK: {tilewright.parallel, opencl.axis = 1 : i64}
// CHECK: {tilewright.parallel, opencl.axis = 2 : i64}
// CHECK: {tilewright.parallel, opencl.axis = 2 : i64}
// CHECK-LABEL: func.func private @copy_0(
// CHECK-SAME: opencl.grid = array<i64: 5, 4, 6>
// CHECK-NOT: memref.copy
// CHECK-LABEL: func.func private @stage0_gpu(
// CHECK: opencl.stage {
// CHECK: %[[BYTES:.*]] = opencl.buffer : memref<512xi8>
// CHECK: %[[SUMS:.*]] = memref.view %[[BYTES]]
// CHECK: %[[TABLE:.*]] = memref.get_global @table
// CHECK: opencl.launch @scale_0(%x, %{{.*}}, %[[SUMS]], %[[TABLE]]) {written = array<i64: 2>}
// CHECK: opencl.launch @copy_0(%[[SUMS]], %y) {written = array<i64: 1>}
// CHECK-LABEL: func.func private @stage1_big(
// CHECK: func.call @negate_0
// CHECK-LABEL: func.func @network(
// CHECK-NEXT: opencl.open @stage0_gpu
// CHECK-NEXT: func.call @stage0_gpu(

// CL: #pragma OPENCL FP_CONTRACT OFF
// CL: static void scale_0_item(const __global tw_f32 *in0, int32_t factor, __global tw_f32 *out, const __global tw_f32 *table) {
// CL-NEXT: const int32_t item2 = (int32_t)get_global_id(2);
// CL-NEXT: const int32_t j = (int32_t)((uint32_t)item2 % 3u);
// CL-NEXT: const int32_t i = (int32_t)((uint32_t)item2 / 3u);
// CL-NEXT: const int32_t k = (int32_t)get_global_id(1);
// CL-NEXT: const int32_t l = (int32_t)get_global_id(0);
// CL-NEXT: out[((i * 3 + j) * 4 + k) * 5 + l] = in0[((i * 3 + j) * 4 + k) * 5 + l] * table[i] * (float)factor;
// CL: __kernel void scale_0(const __global uchar *in0, const ulong in0_from, const int32_t factor, __global uchar *out, const ulong out_from, const __global uchar *table, const ulong table_from) {
// CL: __kernel void copy_0(
// CL-NOT: negate_0

// C: static const char *const network_stage0_gpu_source[] = {
// C: static tw_opencl_buffer network_stage0_gpu_buffers[] = {
// C-NEXT: TW_OPENCL_INPUT("x", 480),
// C-NEXT: TW_OPENCL_MEMORY(512),
// C-NEXT: TW_OPENCL_CONSTANT(network_table, 8),
// C-NEXT: TW_OPENCL_OUTPUT("y", 480),
// C: static const tw_opencl_argument network_stage0_gpu_arguments[] = {
// C-NEXT: {0, 0, NULL, 0},
// C-NEXT: {-1, 0, &(const int32_t){3}, sizeof(int32_t)},
// C-NEXT: {1, 32, NULL, 0},
// C-NEXT: {2, 0, NULL, 0},
// C: {"scale_0", "", {5, 4, 6}, 0, 4, NULL},
// C: static TW_KERNEL void stage0_gpu(const tw_f32 *x, tw_f32 *y) {
// C-NEXT: tw_opencl_input(&network_stage0_gpu, 0, x);
// C-NEXT: tw_opencl_run(&network_stage0_gpu, 0, 2);
// C-NEXT: tw_opencl_output(&network_stage0_gpu, 3, y);
// C: static TW_KERNEL void negate_0(
// C: void network_run(
// C-NEXT: tw_opencl_open(&network_stage0_gpu);
// C-NEXT: stage0_gpu(
module {
  memref.global "private" constant @table : memref<2xf32> = dense<[0.5, 2.0]>
  memref.global "private" @stage0_gpu_arena : memref<512xi8> = uninitialized {tilewright.arena}

  func.func private @scale_0(%in0: memref<2x3x4x5xf32>, %factor: i32, %out: memref<2x3x4x5xf32>) attributes {engine = "gpu"} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c3 = arith.constant 3 : index
    %c4 = arith.constant 4 : index
    %c5 = arith.constant 5 : index
    %table = memref.get_global @table : memref<2xf32>
    %times = arith.sitofp %factor : i32 to f32
    scf.for %i = %c0 to %c2 step %c1 {
      %entry = memref.load %table[%i] : memref<2xf32>
      scf.for %j = %c0 to %c3 step %c1 {
        scf.for %k = %c0 to %c4 step %c1 {
          scf.for %l = %c0 to %c5 step %c1 {
            %x = memref.load %in0[%i, %j, %k, %l] : memref<2x3x4x5xf32>
            %0 = arith.mulf %x, %entry : f32
            %1 = arith.mulf %0, %times : f32
            memref.store %1, %out[%i, %j, %k, %l] : memref<2x3x4x5xf32>
          } {tilewright.parallel}
        } {tilewright.parallel}
      } {tilewright.parallel}
    } {tilewright.parallel}
    func.return
  }

  func.func private @copy_0(%in0: memref<2x3x4x5xf32>, %out: memref<2x3x4x5xf32>) attributes {engine = "gpu"} {
    memref.copy %in0, %out : memref<2x3x4x5xf32> to memref<2x3x4x5xf32>
    func.return
  }

  func.func private @stage0_gpu(%x: memref<2x3x4x5xf32>, %y: memref<2x3x4x5xf32> {tilewright.output}) attributes {engine = "gpu", hmp.layers = array<i64: 0, 1>} {
    %bytes = memref.get_global @stage0_gpu_arena : memref<512xi8>
    %c32 = arith.constant 32 : index
    %factor = arith.constant 3 : i32
    %sums = memref.view %bytes[%c32][] : memref<512xi8> to memref<2x3x4x5xf32>
    func.call @scale_0(%x, %factor, %sums) : (memref<2x3x4x5xf32>, i32, memref<2x3x4x5xf32>) -> ()
    func.call @copy_0(%sums, %y) : (memref<2x3x4x5xf32>, memref<2x3x4x5xf32>) -> ()
    func.return
  }

  func.func private @negate_0(%out: memref<2x3x4x5xf32>) attributes {engine = "big"} {
    %c0 = arith.constant 0 : index
    %x = memref.load %out[%c0, %c0, %c0, %c0] : memref<2x3x4x5xf32>
    %0 = arith.negf %x : f32
    memref.store %0, %out[%c0, %c0, %c0, %c0] : memref<2x3x4x5xf32>
    func.return
  }

  func.func private @stage1_big(%y: memref<2x3x4x5xf32>) attributes {engine = "big", hmp.layers = array<i64: 2, 2>} {
    func.call @negate_0(%y) : (memref<2x3x4x5xf32>) -> ()
    func.return
  }

  func.func @network(%x: memref<2x3x4x5xf32>, %y: memref<2x3x4x5xf32> {tilewright.output}) {
    func.call @stage0_gpu(%x, %y) : (memref<2x3x4x5xf32>, memref<2x3x4x5xf32>) -> ()
    func.call @stage1_big(%y) : (memref<2x3x4x5xf32>) -> ()
    func.return
  }
}
