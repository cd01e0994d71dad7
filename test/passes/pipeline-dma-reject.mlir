// RUN: opt-tool %s -p pipeline-dma | filecheck %s
// RUN: opt-tool %s -p pipeline-dma | filecheck %s --check-prefix=CARRIES

// Loops of other forms stay as they are: no transfer moves out of them, and they carry nothing.

// CARRIES-COUNT-1: iter_args
// CARRIES-NOT:     iter_args

memref.global "private" @near : memref<64xi8, "L1"> = uninitialized

// The twin that is changed: two buffers, one after the other.

// CHECK-LABEL: func.func @right
// CHECK:         hier.dma_start
// CHECK:         scf.for
func.func @right(%a: memref<64xi8>, %c: memref<16xi8>) {
  %near = memref.get_global @near : memref<64xi8, "L1">
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %turn = arith.remui %i, %c2 : index
    %at = arith.muli %turn, %c16 : index
    %buffer = memref.view %near[%at][] : memref<64xi8, "L1"> to memref<16xi8, "L1">
    %first = arith.muli %i, %c16 : index
    %t = hier.dma_start %a[%first] to %buffer stages 2 : memref<64xi8>, memref<16xi8, "L1">
    hier.dma_wait %t
    memref.copy %buffer, %c : memref<16xi8, "L1"> to memref<16xi8>
  }
  func.return
}

// The buffers overlap.

// CHECK-LABEL: func.func @one_buffer
// CHECK-NOT:     hier.dma_start
// CHECK:         scf.for
// CHECK:           %[[T:.*]] = hier.dma_start {{.*}} stages 2
// CHECK-NEXT:      hier.dma_wait %[[T]]
func.func @one_buffer(%a: memref<64xi8>, %c: memref<16xi8>) {
  %near = memref.get_global @near : memref<64xi8, "L1">
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %turn = arith.remui %i, %c2 : index
    %at = arith.muli %turn, %c8 : index
    %buffer = memref.view %near[%at][] : memref<64xi8, "L1"> to memref<16xi8, "L1">
    %first = arith.muli %i, %c16 : index
    %t = hier.dma_start %a[%first] to %buffer stages 2 : memref<64xi8>, memref<16xi8, "L1">
    hier.dma_wait %t
    memref.copy %buffer, %c : memref<16xi8, "L1"> to memref<16xi8>
  }
  func.return
}

// Nothing says how many buffers there are.

// CHECK-LABEL: func.func @by_hand
// CHECK-NOT:     hier.dma_start
// CHECK:         scf.for
// CHECK:           %[[T:.*]] = hier.dma_start
// CHECK-NEXT:      hier.dma_wait %[[T]]
func.func @by_hand(%a: memref<64xi8>, %c: memref<16xi8>) {
  %near = memref.alloc() : memref<16xi8, "L1">
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %t = hier.dma_start %a[%i] to %near : memref<64xi8>, memref<16xi8, "L1">
    hier.dma_wait %t
    memref.copy %near, %c : memref<16xi8, "L1"> to memref<16xi8>
  }
  func.return
}

// The kernel before the fetch might write what is fetched.

// CHECK-LABEL: func.func @work_before
// CHECK-NOT:     hier.dma_start
// CHECK:         scf.for
// CHECK:           memref.copy
// CHECK:           hier.dma_start {{.*}} stages 1
func.func @work_before(%a: memref<16xi8>, %c: memref<16xi8>) {
  %near = memref.alloc() : memref<16xi8, "L1">
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %c1 step %c1 {
    memref.copy %c, %a : memref<16xi8> to memref<16xi8>
    %t = hier.dma_start %a[%c0] to %near stages 1 : memref<16xi8>, memref<16xi8, "L1">
    hier.dma_wait %t
    memref.copy %near, %c : memref<16xi8, "L1"> to memref<16xi8>
  }
  func.return
}

// The buffer is worked on after its write has begun.

// CHECK-LABEL: func.func @work_after
// CHECK:         scf.for
// CHECK:           %[[T:.*]] = hier.dma_start
// CHECK-NEXT:      hier.dma_wait %[[T]]
func.func @work_after(%a: memref<16xi8>, %c: memref<64xi8>) {
  %near = memref.alloc() : memref<16xi8, "L1">
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %t = hier.dma_start %c[%i] from %near stages 1 : memref<64xi8>, memref<16xi8, "L1">
    hier.dma_wait %t
    memref.copy %a, %near : memref<16xi8> to memref<16xi8, "L1">
  }
  func.return
}

// Where the tile begins is known only when the step before is done.

// CHECK-LABEL: func.func @depends_on_data
// CHECK-NOT:     hier.dma_start
// CHECK:         scf.for
// CHECK:           hier.dma_start {{.*}} stages 1
func.func @depends_on_data(%a: memref<64xi8>, %places: memref<4xindex>, %c: memref<16xi8>) {
  %near = memref.alloc() : memref<16xi8, "L1">
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %first = memref.load %places[%i] : memref<4xindex>
    %t = hier.dma_start %a[%first] to %near stages 1 : memref<64xi8>, memref<16xi8, "L1">
    hier.dma_wait %t
    memref.copy %near, %c : memref<16xi8, "L1"> to memref<16xi8>
  }
  func.return
}

// A condition that is not the first step of a tile.

// CHECK-LABEL: func.func @other_condition
// CHECK:         scf.if
// CHECK-NEXT:      %[[T:.*]] = hier.dma_start
// CHECK-NEXT:      hier.dma_wait %[[T]]
func.func @other_condition(%a: memref<16xi8>, %c: memref<16xi8>) {
  %near = memref.alloc() : memref<16xi8, "L1">
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c4 step %c1 {
    %some = arith.cmpi slt, %i, %c1 : index
    scf.if %some {
      %t = hier.dma_start %a[%c0] to %near stages 1 : memref<16xi8>, memref<16xi8, "L1">
      hier.dma_wait %t
    }
    memref.copy %near, %c : memref<16xi8, "L1"> to memref<16xi8>
  }
  func.return
}
