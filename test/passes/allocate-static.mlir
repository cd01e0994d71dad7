// RUN: opt-tool %s -p allocate-static | filecheck %s
// RUN: opt-tool %s -p 'allocate-static{alignment=64}' | filecheck %s --check-prefix WIDE

// Buffers that are never needed at the same time share memory; addresses are aligned.

// CHECK: memref.global "private" @network_arena : memref<64xi8> = uninitialized {tilewright.arena, tilewright.peak = 64 : i64, alignment = 16 : i64}
// WIDE:  memref.global "private" @network_arena : memref<128xi8> = uninitialized {tilewright.arena, tilewright.peak = 128 : i64, alignment = 64 : i64}
// CHECK-LABEL: func.func @network
// CHECK-NEXT:    %[[ARENA:.*]] = memref.get_global @network_arena : memref<64xi8>
// CHECK-NEXT:    %[[A:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %a = memref.view %[[ARENA]][%[[A]]][] {tilewright.lifetime = "1..3"}
// CHECK:         %[[B:.*]] = arith.constant 32 : index
// CHECK-NEXT:    %b = memref.view %[[ARENA]][%[[B]]][] {tilewright.lifetime = "3..5"}
// CHECK:         %[[C:.*]] = arith.constant 0 : index
// CHECK-NEXT:    %c = memref.view %[[ARENA]][%[[C]]][] {tilewright.lifetime = "5..6"}
// CHECK-NOT:     memref.alloc
// WIDE-LABEL: func.func @network
// WIDE:          arith.constant 64 : index
func.func @network(%x: memref<20xi8>, %o: memref<20xi8> {tilewright.output}) {
  %a = memref.alloc() : memref<20xi8>
  memref.copy %x, %a : memref<20xi8> to memref<20xi8>
  %b = memref.alloc() : memref<20xi8>
  memref.copy %a, %b : memref<20xi8> to memref<20xi8>
  %c = memref.alloc() : memref<20xi8>
  memref.copy %b, %c : memref<20xi8> to memref<20xi8>
  memref.copy %c, %o : memref<20xi8> to memref<20xi8>
  func.return
}

// A function that allocates nothing needs no arena.

// CHECK-LABEL: func.func @none
// CHECK-NEXT:    func.return
func.func @none(%x: memref<20xi8>) {
  func.return
}
