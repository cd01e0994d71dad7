// RUN: opt-tool %s -p attach-machine{target=%S/../machines/two_engines.toml},overlap-engines | filecheck %s

// The accelerator's kernel needs nothing of the cluster's: it is launched before, and joined before its result is read.
// The weights of the last kernel are fetched before all of that.

memref.global "private" @L1 : memref<1024xi8, "L1"> = uninitialized

// CHECK-LABEL: func.func @beside
// CHECK:         %[[A:.*]] = hier.dma_start %a
// CHECK:         hier.dma_wait %[[A]]
// CHECK:         %[[JOB:.*]] = hier.launch {
// CHECK-NEXT:      linalg.generic {{.*}}engine = "npu"
// CHECK:         linalg.generic {{.*}}engine = "cluster"
// CHECK:         hier.join %[[JOB]]
// CHECK:         linalg.generic {{.*}}engine = "cluster"
// CHECK:         hier.dma_start %c
func.func @beside(%a: memref<64xi8>, %c: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %c192 = arith.constant 192 : index
  %memory = memref.get_global @L1 : memref<1024xi8, "L1">
  %x = "memref.view"(%memory, %c0) : (memref<1024xi8, "L1">, index) -> memref<64xi8, "L1">
  %t = hier.dma_start %a[%c0] to %x : memref<64xi8>, memref<64xi8, "L1">
  hier.dma_wait %t
  %y = "memref.view"(%memory, %c64) : (memref<1024xi8, "L1">, index) -> memref<64xi8, "L1">
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xi8, "L1">) outs(%y : memref<64xi8, "L1">) attrs = {engine = "cluster"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.addi %i, %i : i8
    linalg.yield %s : i8
  }
  %z = "memref.view"(%memory, %c128) : (memref<1024xi8, "L1">, index) -> memref<64xi8, "L1">
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xi8, "L1">) outs(%z : memref<64xi8, "L1">) attrs = {engine = "npu"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.muli %i, %i : i8
    linalg.yield %s : i8
  }
  %r = "memref.view"(%memory, %c192) : (memref<1024xi8, "L1">, index) -> memref<64xi8, "L1">
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
      iterator_types = ["parallel"]} ins(%y, %z : memref<64xi8, "L1">, memref<64xi8, "L1">)
      outs(%r : memref<64xi8, "L1">) attrs = {engine = "cluster"} {
  ^bb0(%i: i8, %j: i8, %o: i8):
    %s = arith.addi %i, %j : i8
    linalg.yield %s : i8
  }
  %u = hier.dma_start %c[%c0] from %r : memref<64xi8>, memref<64xi8, "L1">
  hier.dma_wait %u
  func.return
}

// The accelerator's kernel writes over what the cluster's reads: it stays behind it. Two of the accelerator's follow
// each other in its queue, whatever the second reads, and are joined after both.

// CHECK-LABEL: func.func @behind
// CHECK:         linalg.generic {{.*}}engine = "cluster"
// CHECK:         %[[ONE:.*]] = hier.launch {
// CHECK:         %[[TWO:.*]] = hier.launch {
// CHECK:         hier.join %[[ONE]]
// CHECK:         hier.join %[[TWO]]
func.func @behind(%a: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c96 = arith.constant 96 : index
  %memory = memref.get_global @L1 : memref<1024xi8, "L1">
  %x = "memref.view"(%memory, %c0) : (memref<1024xi8, "L1">, index) -> memref<64xi8, "L1">
  %y = "memref.view"(%memory, %c64) : (memref<1024xi8, "L1">, index) -> memref<64xi8, "L1">
  %z = "memref.view"(%memory, %c96) : (memref<1024xi8, "L1">, index) -> memref<64xi8, "L1">
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%y : memref<64xi8, "L1">) outs(%x : memref<64xi8, "L1">) attrs = {engine = "cluster"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.addi %i, %i : i8
    linalg.yield %s : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xi8, "L1">) outs(%z : memref<64xi8, "L1">) attrs = {engine = "npu"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.muli %i, %i : i8
    linalg.yield %s : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%z : memref<64xi8, "L1">) outs(%x : memref<64xi8, "L1">) attrs = {engine = "npu"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.muli %i, %i : i8
    linalg.yield %s : i8
  }
  func.return
}

// What is stored is computed from what a transfer brings: neither the store nor what it feeds goes before the transfer.

// CHECK-LABEL: func.func @computed
// CHECK:         %[[OUT:.*]] = hier.dma_start %a
// CHECK:         hier.dma_wait %[[OUT]]
// CHECK:         memref.load %a
// CHECK:         memref.store
// CHECK:         hier.dma_start %p
func.func @computed(%a: memref<64xi8>, %p: memref<512xi8>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %memory = memref.get_global @L1 : memref<1024xi8, "L1">
  %x = "memref.view"(%memory, %c0) : (memref<1024xi8, "L1">, index) -> memref<64xi8, "L1">
  %y = "memref.view"(%memory, %c64) : (memref<1024xi8, "L1">, index) -> memref<512xi8, "L1">
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      outs(%x : memref<64xi8, "L1">) attrs = {engine = "cluster"} {
  ^bb0(%o: i8):
    %s = arith.addi %o, %o : i8
    linalg.yield %s : i8
  }
  %t = hier.dma_start %a[%c0] from %x : memref<64xi8>, memref<64xi8, "L1">
  hier.dma_wait %t
  %v = memref.load %a[%c0] : memref<64xi8>
  %w = arith.addi %v, %v : i8
  memref.store %w, %p[%c0] : memref<512xi8>
  %u = hier.dma_start %p[%c0] to %y : memref<512xi8>, memref<512xi8, "L1">
  hier.dma_wait %u
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%y : memref<512xi8, "L1">) outs(%y : memref<512xi8, "L1">) attrs = {engine = "npu"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.muli %i, %i : i8
    linalg.yield %s : i8
  }
  func.return
}

// Parts of one buffer are written at once where they have no byte in common, and one after the other where they have.

// CHECK-LABEL: func.func @parts
// CHECK:         hier.launch {
// CHECK:         linalg.generic {{.*}}engine = "cluster"
// CHECK:         hier.join
func.func @parts(%a: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %memory = memref.get_global @L1 : memref<1024xi8, "L1">
  %x = "memref.view"(%memory, %c0) : (memref<1024xi8, "L1">, index) -> memref<32xi8, "L1">
  %y = "memref.view"(%memory, %c64) : (memref<1024xi8, "L1">, index) -> memref<64xi8, "L1">
  %p = memref.subview %y[0] [32] [1] : memref<64xi8, "L1"> to memref<32xi8, strided<[1]>, "L1">
  %q = memref.subview %y[32] [32] [1] : memref<64xi8, "L1"> to memref<32xi8, strided<[1], offset: 32>, "L1">
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<32xi8, "L1">) outs(%p : memref<32xi8, strided<[1]>, "L1">) attrs = {engine = "cluster"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.addi %i, %i : i8
    linalg.yield %s : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<32xi8, "L1">) outs(%q : memref<32xi8, strided<[1], offset: 32>, "L1">) attrs = {engine = "npu"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.muli %i, %i : i8
    linalg.yield %s : i8
  }
  func.return
}

// CHECK-LABEL: func.func @parts_that_meet
// CHECK:         linalg.generic {{.*}}engine = "cluster"
// CHECK:         hier.launch {
// CHECK:         hier.join
func.func @parts_that_meet(%a: memref<64xi8>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %memory = memref.get_global @L1 : memref<1024xi8, "L1">
  %x = "memref.view"(%memory, %c0) : (memref<1024xi8, "L1">, index) -> memref<32xi8, "L1">
  %y = "memref.view"(%memory, %c64) : (memref<1024xi8, "L1">, index) -> memref<64xi8, "L1">
  %p = memref.subview %y[0] [32] [1] : memref<64xi8, "L1"> to memref<32xi8, strided<[1]>, "L1">
  %q = memref.subview %y[16] [32] [1] : memref<64xi8, "L1"> to memref<32xi8, strided<[1], offset: 16>, "L1">
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<32xi8, "L1">) outs(%p : memref<32xi8, strided<[1]>, "L1">) attrs = {engine = "cluster"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.addi %i, %i : i8
    linalg.yield %s : i8
  }
  linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%x : memref<32xi8, "L1">) outs(%q : memref<32xi8, strided<[1], offset: 16>, "L1">) attrs = {engine = "npu"} {
  ^bb0(%i: i8, %o: i8):
    %s = arith.muli %i, %i : i8
    linalg.yield %s : i8
  }
  func.return
}
