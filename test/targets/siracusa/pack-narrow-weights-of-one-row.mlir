// RUN: opt-tool %s -p 'attach-machine{target=siracusa/cluster},map-engines,pack-narrow-weights' | filecheck %s
// RUN: opt-tool %s -p 'attach-machine{target=siracusa/cluster},map-engines,pack-narrow-weights,pack-narrow-weights' | filecheck %s

// A row times a matrix takes as long as fetching the matrix: it reads packed weights, which are fetched in half the time.
// Weights without a sign make the product name them; those that are packed stay as they are.

// CHECK: nn.matmul {{.*}} memref<512x256xi8>) {{.*}} {accumulator = i32, transpose_b, unsigned = array<i64: 0>, weight_bits = 4 : i64
// CHECK: nn.matmul {{.*}} memref<512x128xi8>) {{.*}} {accumulator = i32, transpose_b, unsigned = array<i64: 0, 1>, weight_bits = 2 : i64
// CHECK: nn.matmul {{.*}} memref<512x512xi8>) {{.*}} {accumulator = i32, transpose_b, engine = "cluster"}

memref.global "private" constant @signed : memref<512x512xi8> = dense<-8>
memref.global "private" constant @unsigned : memref<512x512xi8> = dense<3>

func.func @network(%x: memref<1x512xi8>, %y: memref<64x512xi8>, %a: memref<1x512xi32> {tilewright.output},
    %b: memref<1x512xi32> {tilewright.output}, %c: memref<64x512xi32> {tilewright.output}) {
  %signed = memref.get_global @signed : memref<512x512xi8>
  nn.matmul ins(%x, %signed : memref<1x512xi8>, memref<512x512xi8>) outs(%a : memref<1x512xi32>)
    {accumulator = i32, transpose_b, unsigned = array<i64: 0>}
  %unsigned = memref.get_global @unsigned : memref<512x512xi8>
  nn.matmul ins(%x, %unsigned : memref<1x512xi8>, memref<512x512xi8>) outs(%b : memref<1x512xi32>)
    {accumulator = i32, transpose_b, unsigned = array<i64: 0>}
  %bytes = memref.get_global @bytes : memref<512x512xi8>
  nn.matmul ins(%y, %bytes : memref<64x512xi8>, memref<512x512xi8>) outs(%c : memref<64x512xi32>) {accumulator = i32, transpose_b}
  func.return
}

memref.global "private" constant @bytes : memref<512x512xi8> = dense<1>
