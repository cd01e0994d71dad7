// RUN: opt-tool %s -p allocate-static --verify-diagnostics

func.func @network(%x: memref<20xi8>) -> memref<10xi8, strided<[1], offset: 2>> {
  %a = memref.alloc() : memref<20xi8>
  %v = memref.subview %a[2] [10] [1] : memref<20xi8> to memref<10xi8, strided<[1], offset: 2>>
  // expected-error@+1 {{a buffer that the function returns cannot be static}}
  func.return %v : memref<10xi8, strided<[1], offset: 2>>
}
