// RUN: opt-tool %s -p 'attach-machine{target=siracusa/cluster},convert-copies-to-rows' | filecheck %s

// A function with other ops is none that an engine could do alone, and a dynamic shape has no stretches.

// CHECK-LABEL: func.func @network
// CHECK-NOT:     engine
// CHECK:         memref.copy
func.func @network(%x: memref<64xi8>, %y: memref<64xi8>) {
  %n = memref.alloc() : memref<64xi8>
  memref.copy %x, %n : memref<64xi8> to memref<64xi8>
  memref.copy %n, %y : memref<64xi8> to memref<64xi8>
  func.return
}

// CHECK-LABEL: func.func private @dynamic
// CHECK:         memref.copy
func.func private @dynamic(%x: memref<?xi8>, %y: memref<?xi8>) {
  memref.copy %x, %y : memref<?xi8> to memref<?xi8>
  func.return
}
