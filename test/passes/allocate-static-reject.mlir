// RUN: not opt-tool %s -p 'allocate-static{alignment=12}' 2>&1 | filecheck %s --check-prefix ODD
// RUN: not opt-tool %s -p 'allocate-static{alignment=4}' 2>&1 | filecheck %s --check-prefix SMALL
// RUN: not opt-tool %s -p allocate-static 2>&1 | filecheck %s --check-prefix TWICE

// ODD: alignment 12 is not a power of two of at least 8
// ODD: remedy: {{.*}} give 8, 16, 32
// SMALL: alignment 4 is not a power of two of at least 8
// TWICE: the module already has a 'network_arena'
// TWICE: run allocate-static once, after bufferize

memref.global "private" @network_arena : memref<64xi8> = uninitialized
func.func @network(%x: memref<20xi8>) {
  %a = memref.alloc() : memref<20xi8>
  memref.copy %x, %a : memref<20xi8> to memref<20xi8>
  func.return
}
