// RUN: opt-tool %s -p 'attach-machine{target=siracusa},map-engines,pack-narrow-weights' | filecheck %s --check-prefix=FITS
// RUN: opt-tool %s -p 'attach-machine{target=%S/narrow/little_far.toml},map-engines,pack-narrow-weights' | filecheck %s --check-prefix=LITTLE
// RUN: opt-tool %s -p 'attach-machine{target=%S/narrow/slow_link.toml},map-engines,pack-narrow-weights' | filecheck %s --check-prefix=SLOW
// RUN: opt-tool %s -p 'attach-machine{target=siracusa},map-engines,pack-narrow-weights{everything=true}' | filecheck %s

// Where all fits and computing takes longer than fetching, weights stay bytes.

// FITS-NOT: {{nn.unpack ins|weight_bits}}

// Where it does not, as many are packed as it takes, those first for which a byte that is saved takes fewest cycles.

// LITTLE-COUNT-2: weight_bits
// LITTLE-NOT:     {{nn.unpack ins|weight_bits}}

// Where fetching takes long, those are packed whose kernels wait for it.

// SLOW-COUNT-2: weight_bits
// SLOW-NOT:     {{nn.unpack ins|weight_bits}}

// The fewest bits that hold the numbers: signed, or unsigned where none is negative. Wide weights, and those that others
// read too, stay. Kernels with few pixels read packed weights, those with many have them unpacked.

// CHECK:      memref.global {{.*}}@four_4bit : memref<8x32xi8> = dense<-120>
// CHECK:      memref.global {{.*}}@wide : memref<8x64xi8>
// CHECK:      memref.global {{.*}}@conv_4bit : memref<8x1x1x32xi8> = dense<-1>
// CHECK:      memref.global {{.*}}@two_2bit : memref<8x16xi8> = dense<-86>
// CHECK:      memref.global {{.*}}@read : memref<8x64xi8>

// CHECK:      %[[P:.*]] = memref.get_global @four_4bit : memref<8x32xi8>
// CHECK-NEXT: nn.matmul ins(%x, %[[P]] : memref<4x64xi8>, memref<8x32xi8>) {{.*}} {accumulator = i32, transpose_b, weight_bits = 4 : i64, engine = "cluster", refusals{{.*}}
// CHECK-NEXT: memref.get_global @wide
// CHECK-NEXT: nn.matmul
// CHECK-NEXT: %[[P:.*]] = memref.get_global @conv_4bit
// CHECK-NEXT: %[[W:.*]] = memref.alloc() : memref<8x1x1x64xi8>
// CHECK-NEXT: nn.unpack ins(%[[P]] : memref<8x1x1x32xi8>) outs(%[[W]] : memref<8x1x1x64xi8>) {bits = 4 : i64, unsigned = array<i64: 0>, engine = "cluster"}
// CHECK-NEXT: nn.conv ins(%y, %[[W]] :
// CHECK-NEXT: memref.get_global @two_2bit
// CHECK-NEXT: nn.matmul {{.*}} weight_bits = 2 : i64
// CHECK-NOT:  {{nn.unpack ins|weight_bits}}

memref.global "private" constant @four : memref<8x64xi8> = dense<-8>
memref.global "private" constant @wide : memref<8x64xi8> = dense<-9>
memref.global "private" constant @conv : memref<8x1x1x64xi8> = dense<15>
memref.global "private" constant @two : memref<8x64xi8> = dense<-2>
memref.global "private" constant @read : memref<8x64xi8> = dense<1>

func.func @network(%x: memref<4x64xi8>, %y: memref<1x16x16x64xi8>, %a: memref<4x8xi32> {tilewright.output},
    %b: memref<4x8xi32> {tilewright.output}, %c: memref<1x16x16x8xi32> {tilewright.output},
    %d: memref<4x8xi32> {tilewright.output}, %e: memref<8x8xi32> {tilewright.output}) {
  %four = memref.get_global @four : memref<8x64xi8>
  nn.matmul ins(%x, %four : memref<4x64xi8>, memref<8x64xi8>) outs(%a : memref<4x8xi32>) {accumulator = i32, transpose_b}
  %wide = memref.get_global @wide : memref<8x64xi8>
  nn.matmul ins(%x, %wide : memref<4x64xi8>, memref<8x64xi8>) outs(%b : memref<4x8xi32>) {accumulator = i32, transpose_b}
  %conv = memref.get_global @conv : memref<8x1x1x64xi8>
  nn.conv ins(%y, %conv : memref<1x16x16x64xi8>, memref<8x1x1x64xi8>) outs(%c : memref<1x16x16x8xi32>)
    {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64, accumulator = i32,
     channels_last}
  %two = memref.get_global @two : memref<8x64xi8>
  nn.matmul ins(%x, %two : memref<4x64xi8>, memref<8x64xi8>) outs(%d : memref<4x8xi32>) {accumulator = i32, transpose_b}
  %read = memref.get_global @read : memref<8x64xi8>
  nn.matmul ins(%read, %read : memref<8x64xi8>, memref<8x64xi8>) outs(%e : memref<8x8xi32>) {accumulator = i32, transpose_b}
  func.return
}
