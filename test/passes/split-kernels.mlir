// RUN: opt-tool %s --split-input-file -p attach-machine{target=%S/../machines/two_engines.toml},split-kernels,verify-memory | filecheck %s
// RUN: opt-tool %s --split-input-file -p attach-machine{target=%S/../machines/two_engines.toml},split-kernels,plan-memory,expand-grid,pipeline-dma,overlap-engines,verify-memory | filecheck %s --check-prefix=AFTER
// RUN: opt-tool %s --split-input-file -p attach-machine{target=%S/../machines/two_engines.toml},split-kernels --remarks - -o %t 2>&1 | filecheck %s --check-prefix=REMARK

// REMARK:      passed split of 'linalg.generic': 6 parts along d0, which overlap another engine
// REMARK-NEXT: passed split of 'linalg.generic': 6 parts along d0, which overlap another engine
// REMARK-NEXT: missed split of 'linalg.generic': no split with its producer 'linalg.generic' on another engine saves 1% and a set-up
// REMARK-NOT:  passed

// While the cluster makes the second half of the rows, the accelerator works on the first.

// CHECK-LABEL: func.func @halves
// CHECK:         %[[P:.*]] = memref.subview %y[0, 0] [[[N:[0-9]+]], 64]
// CHECK:         linalg.generic {{.*}}engine = "cluster"
// CHECK:         memref.subview %y[[[N]], 0]
// CHECK:         linalg.generic {{.*}}engine = "cluster"
// CHECK:         memref.subview %y[0, 0] [[[N]], 64]
// CHECK:         linalg.generic {{.*}}engine = "npu"
// CHECK:         memref.subview %y[[[N]], 0]
// CHECK:         linalg.generic {{.*}}engine = "npu"

// AFTER-LABEL: func.func @halves
// AFTER:         linalg.generic {{.*}}engine = "cluster"
// AFTER:         %[[JOB:.*]] = hier.launch {
// AFTER-NEXT:      linalg.generic {{.*}}engine = "npu"
// AFTER:         linalg.generic {{.*}}engine = "cluster"
// AFTER:         hier.join %[[JOB]]
func.func @halves(%x: memref<64x64xi8>, %z: memref<64x64xi8>) {
  %y = memref.alloc() : memref<64x64xi8>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xi8>) outs(%y : memref<64x64xi8>) attrs = {engine = "cluster"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.addi %i, %i : i8
    linalg.yield %s : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<64x64xi8>) outs(%z : memref<64x64xi8>) attrs = {engine = "npu"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.muli %i, %i : i8
    linalg.yield %s : i8
  }
  func.return
}

// -----

// What reads all of the rows at once cannot begin before all of them are there.

// CHECK-LABEL: func.func @turned
// CHECK-NOT:     memref.subview
func.func @turned(%x: memref<64x64xi8>, %z: memref<64x64xi8>) {
  %y = memref.alloc() : memref<64x64xi8>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xi8>) outs(%y : memref<64x64xi8>) attrs = {engine = "cluster"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.addi %i, %i : i8
    linalg.yield %s : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<64x64xi8>) outs(%z : memref<64x64xi8>) attrs = {engine = "npu"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.muli %i, %i : i8
    linalg.yield %s : i8
  }
  func.return
}

// -----

// One engine does one thing after the other, in parts or not.

// CHECK-LABEL: func.func @one_engine
// CHECK-NOT:     memref.subview
func.func @one_engine(%x: memref<64x64xi8>, %z: memref<64x64xi8>) {
  %y = memref.alloc() : memref<64x64xi8>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x64xi8>) outs(%y : memref<64x64xi8>) attrs = {engine = "cluster"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.addi %i, %i : i8
    linalg.yield %s : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<64x64xi8>) outs(%z : memref<64x64xi8>) attrs = {engine = "cluster"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.muli %i, %i : i8
    linalg.yield %s : i8
  }
  func.return
}

// -----

// Parts that have no room in the near memory are cut again, and come and go in loops: the kernels stay whole.

// CHECK-LABEL: func.func @large
// CHECK-NOT:     memref.subview
func.func @large(%x: memref<64x8192xi8>, %z: memref<64x8192xi8>) {
  %y = memref.alloc() : memref<64x8192xi8>
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<64x8192xi8>) outs(%y : memref<64x8192xi8>) attrs = {engine = "cluster"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.addi %i, %i : i8
    linalg.yield %s : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%y : memref<64x8192xi8>) outs(%z : memref<64x8192xi8>) attrs = {engine = "npu"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.muli %i, %i : i8
    linalg.yield %s : i8
  }
  func.return
}

// -----

// Kernels on scalars have no loop to be split along.

// CHECK-LABEL: func.func @scalars
// CHECK-NOT:     memref.subview
// CHECK:         linalg.generic {{.*}}engine = "cluster"
// CHECK:         linalg.generic {{.*}}engine = "npu"

// AFTER-LABEL: func.func @scalars
// AFTER:         linalg.generic {{.*}}engine = "cluster"
// AFTER:         linalg.generic {{.*}}engine = "npu"
func.func @scalars(%x: memref<i8>, %z: memref<i8>) {
  %y = memref.alloc() : memref<i8>
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%x : memref<i8>) outs(%y : memref<i8>) attrs = {engine = "cluster"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.addi %i, %i : i8
    linalg.yield %s : i8
  }
  linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%y : memref<i8>) outs(%z : memref<i8>) attrs = {engine = "npu"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.muli %i, %i : i8
    linalg.yield %s : i8
  }
  func.return
}
