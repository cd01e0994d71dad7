// RUN: opt-tool %s -p 'attach-machine{target=siracusa/xpulpnn},map-engines,pack-narrow-weights' | filecheck %s
// RUN: opt-tool %s -p 'attach-machine{target=%S/narrow/little_stack.toml},map-engines,pack-narrow-weights' | filecheck %s --check-prefix=LITTLE
// RUN: opt-tool %s -p 'attach-machine{target=siracusa},map-engines,pack-narrow-weights' | filecheck %s --check-prefix=BYTES

// What is clipped to 4 bits, copied or pooled, is known to be narrow; so are constants. What comes from outside is not.

// CHECK:     func.func @network
// CHECK:     nn.matmul ins(%x, {{.*}} {accumulator = i32, transpose_b, engine = "cluster", refusals{{.*}}
// CHECK:     nn.matmul ins(%clipped, {{.*}} weight_bits = 4 : i64, narrow_input, unsigned = array<i64: 0>, engine = "cluster", refusals{{.*}}
// CHECK:     nn.matmul ins(%signed, {{.*}} weight_bits = 4 : i64, narrow_input, engine = "cluster", refusals{{.*}}
// CHECK:     nn.matmul ins(%copied, {{.*}} weight_bits = 4 : i64, narrow_input, unsigned = array<i64: 0>, engine = "cluster", refusals{{.*}}

// Their windows take 64 bytes, two at a time.

// LITTLE-NOT: narrow_input
// BYTES-NOT:  narrow_input

memref.global "private" constant @four : memref<64x64xi8> = dense<-8>
memref.global "private" constant @five : memref<64x64xi8> = dense<-7>
memref.global "private" constant @six : memref<64x64xi8> = dense<-6>
memref.global "private" constant @seven : memref<64x64xi8> = dense<-5>

#id = affine_map<(m, k) -> (m, k)>

func.func @network(%x: memref<16x64xi8>, %a: memref<16x64xi32> {tilewright.output}, %b: memref<16x64xi32> {tilewright.output},
    %c: memref<16x64xi32> {tilewright.output}, %d: memref<16x64xi32> {tilewright.output}) {
  %four = memref.get_global @four : memref<64x64xi8>
  nn.matmul ins(%x, %four : memref<16x64xi8>, memref<64x64xi8>) outs(%a : memref<16x64xi32>) {accumulator = i32, transpose_b}
  %clipped = memref.alloc() : memref<16x64xi8>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<16x64xi8>) outs(%clipped : memref<16x64xi8>) {
  ^bb0(%in: i8, %out: i8):
    %low = arith.constant 0 : i8
    %high = arith.constant 15 : i8
    %least = arith.maxsi %in, %low : i8
    %y = arith.minsi %least, %high : i8
    linalg.yield %y : i8
  }
  %five = memref.get_global @five : memref<64x64xi8>
  nn.matmul ins(%clipped, %five : memref<16x64xi8>, memref<64x64xi8>) outs(%b : memref<16x64xi32>) {accumulator = i32, transpose_b, unsigned = array<i64: 0>}
  %signed = memref.alloc() : memref<16x64xi8>
  linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<16x64xi8>) outs(%signed : memref<16x64xi8>) {
  ^bb0(%in: i8, %out: i8):
    %shift = arith.constant 4 : i8
    %y = arith.shrsi %in, %shift : i8
    linalg.yield %y : i8
  }
  %six = memref.get_global @six : memref<64x64xi8>
  nn.matmul ins(%signed, %six : memref<16x64xi8>, memref<64x64xi8>) outs(%c : memref<16x64xi32>) {accumulator = i32, transpose_b}
  %copied = memref.alloc() : memref<16x64xi8>
  memref.copy %clipped, %copied : memref<16x64xi8> to memref<16x64xi8>
  %seven = memref.get_global @seven : memref<64x64xi8>
  nn.matmul ins(%copied, %seven : memref<16x64xi8>, memref<64x64xi8>) outs(%d : memref<16x64xi32>) {accumulator = i32, transpose_b}
  func.return
}
