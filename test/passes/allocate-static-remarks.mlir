// RUN: opt-tool %s -p allocate-static --remarks-filter=. --verify-diagnostics -o %t

// expected-remark@+1 {{analysis arena of 'func.func': network_arena: 64 bytes, 64 alive at once; buffers: 3}}
func.func @network(%x: memref<20xi8>, %o: memref<20xi8> {tilewright.output}) {
  %a = memref.alloc() : memref<20xi8> // expected-remark {{passed address of 'memref.alloc': %a at 0 of network_arena: 20 bytes, alive in steps 1 to 3}}
  memref.copy %x, %a : memref<20xi8> to memref<20xi8>
  %b = memref.alloc() : memref<20xi8> // expected-remark {{%b at 32 of network_arena: 20 bytes, alive in steps 3 to 5}}
  memref.copy %a, %b : memref<20xi8> to memref<20xi8>
  %c = memref.alloc() : memref<20xi8> // expected-remark {{%c at 0 of network_arena}}
  memref.copy %b, %c : memref<20xi8> to memref<20xi8>
  memref.copy %c, %o : memref<20xi8> to memref<20xi8>
  func.return
}

// A function that allocates nothing has no arena.
func.func @nothing(%x: memref<20xi8>) {
  func.return
}
