// RUN: opt-tool %s -p attach-machine{target=gemmini},map-engines,unfuse-epilogues,specialize-additions,split-pools -t engines | filecheck %s

// Every reason for which an engine does not take a kernel.

// CHECK:      'first' on core
// CHECK:      storer: {{.*}}it is no pooling of images with channels last, in whole blocks
// CHECK:      'large' on core
// CHECK:      storer: {{.*}}its windows are 4 x 4, no squares of up to 3
// CHECK:      'padded' on core
// CHECK:      storer: {{.*}}it has padding, or pixels of a window are apart
// CHECK:      'uneven' on core
// CHECK:      storer: {{.*}}its windows are not equally apart, or more than 3 pixels
// CHECK:      'wide' on core
// CHECK:      storer: {{.*}}a row has more than 255 pixels
// CHECK:      'least' on core
// CHECK:      storer: {{.*}}stores compute maxima of windows, no pooling of the kind 'min'
// CHECK:      'unsigned' on core
// CHECK:      storer: {{.*}}stores compute maxima of signed bytes, not of i8 unsigned
// CHECK:      'words' on core
// CHECK:      array: {{.*}}inputs of i16, not i8
// CHECK:      'bytes' on core
// CHECK:      array: {{.*}}a factor is unsigned, and the array extends bytes with their signs
// CHECK:      'twice' on core
// CHECK:      array: {{.*}}it is more than one 'quant.rescale'
// CHECK:      'half' on core
// CHECK:      array: {{.*}}its results are i16, no signed bytes
// CHECK:      'negative' on core
// CHECK:      array: {{.*}}its scale is not positive
// CHECK:      'clipped' on core
// CHECK:      array: {{.*}}it clips to -128 to 100, with the zero point 3
// CHECK:      'groups' on core
// CHECK:      array: {{.*}}groups are no whole blocks of 16 channels and features
// CHECK:      'ragged' on core
// CHECK:      loader: {{.*}}rows of 24 elements are no whole blocks of 16
// CHECK:      'opposite' on core
// CHECK:      loader: {{.*}}its scale is not positive
func.func @network(%first_x: memref<1x9x9x32xi8>, %first_y: memref<1x9x4x15xi8>, %large_x: memref<1x9x9x32xi8>,
                   %large_y: memref<1x3x3x32xi8>, %padded_x: memref<1x9x9x32xi8>, %padded_y: memref<1x5x5x32xi8>,
                   %uneven_x: memref<1x9x9x32xi8>, %uneven_y: memref<1x4x7x32xi8>, %wide_x: memref<1x5x600x32xi8>,
                   %wide_y: memref<1x2x299x32xi8>, %least_x: memref<1x9x9x32xi8>, %least_y: memref<1x4x4x32xi8>,
                   %unsigned_x: memref<1x9x9x32xi8>, %unsigned_y: memref<1x4x4x32xi8>, %words_a: memref<16x32xi16>,
                   %words_b: memref<32x16xi16>, %words_c: memref<16x16xi32>, %bytes_a: memref<16x32xi8>,
                   %bytes_b: memref<32x16xi8>, %bytes_c: memref<16x16xi32>, %twice_a: memref<16x32xi8>,
                   %twice_b: memref<32x16xi8>, %twice_c: memref<16x16xi8>, %half_a: memref<16x32xi8>,
                   %half_b: memref<32x16xi8>, %half_c: memref<16x16xi16>, %negative_a: memref<16x32xi8>,
                   %negative_b: memref<32x16xi8>, %negative_c: memref<16x16xi8>, %clipped_a: memref<16x32xi8>,
                   %clipped_b: memref<32x16xi8>, %clipped_c: memref<16x16xi8>, %halo_x: memref<1x8x8x16xi8>,
                   %halo_w: memref<16x3x3x16xi8>, %halo_y: memref<1x8x8x16xi32>, %groups_x: memref<1x8x8x32xi8>,
                   %groups_w: memref<32x3x3x1xi8>, %groups_y: memref<1x6x6x32xi32>, %ragged_a: memref<8x24xi8>,
                   %ragged_b: memref<8x24xi8>, %ragged_c: memref<8x24xi8>, %opposite_a: memref<8x32xi8>,
                   %opposite_b: memref<8x32xi8>, %opposite_c: memref<8x32xi8>) {
  nn.pool ins(%first_x : memref<1x9x9x32xi8>) outs(%first_y : memref<1x9x4x15xi8>) {kind = "max", window = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8} loc("first")
  nn.pool ins(%large_x : memref<1x9x9x32xi8>) outs(%large_y : memref<1x3x3x32xi8>) {kind = "max", window = array<i64: 4, 4>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8, channels_last} loc("large")
  nn.pool ins(%padded_x : memref<1x9x9x32xi8>) outs(%padded_y : memref<1x5x5x32xi8>) {kind = "max", window = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, accumulator = i8, channels_last} loc("padded")
  nn.pool ins(%uneven_x : memref<1x9x9x32xi8>) outs(%uneven_y : memref<1x4x7x32xi8>) {kind = "max", window = array<i64: 3, 3>, strides = array<i64: 2, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8, channels_last} loc("uneven")
  nn.pool ins(%wide_x : memref<1x5x600x32xi8>) outs(%wide_y : memref<1x2x299x32xi8>) {kind = "max", window = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8, channels_last} loc("wide")
  nn.pool ins(%least_x : memref<1x9x9x32xi8>) outs(%least_y : memref<1x4x4x32xi8>) {kind = "min", window = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8, channels_last} loc("least")
  nn.pool ins(%unsigned_x : memref<1x9x9x32xi8>) outs(%unsigned_y : memref<1x4x4x32xi8>) {kind = "max", window = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, accumulator = i8, channels_last, unsigned = array<i64: 0>} loc("unsigned")
  nn.matmul ins(%words_a, %words_b : memref<16x32xi16>, memref<32x16xi16>) outs(%words_c : memref<16x16xi32>) {accumulator = i32} loc("words")
  nn.matmul ins(%bytes_a, %bytes_b : memref<16x32xi8>, memref<32x16xi8>) outs(%bytes_c : memref<16x16xi32>) {accumulator = i32, unsigned = array<i64: 0>} loc("bytes")
  nn.matmul ins(%twice_a, %twice_b : memref<16x32xi8>, memref<32x16xi8>) outs(%twice_c : memref<16x16xi8>) {accumulator = i32} epilogue() at [] {
  ^bb0(%s: i32):
    %f = arith.constant 0.5 : f32
    %t = quant.rescale %s, %f zero 0 clip -128 to 127 : i32, f32 -> i8
    %u = arith.addi %t, %t : i8
    linalg.yield %u : i8
  } loc("twice")
  nn.matmul ins(%half_a, %half_b : memref<16x32xi8>, memref<32x16xi8>) outs(%half_c : memref<16x16xi16>) {accumulator = i32} epilogue() at [] {
  ^bb0(%s: i32):
    %f = arith.constant 0.5 : f32
    %t = quant.rescale %s, %f zero 0 clip -128 to 127 : i32, f32 -> i16
    linalg.yield %t : i16
  } loc("half")
  nn.matmul ins(%negative_a, %negative_b : memref<16x32xi8>, memref<32x16xi8>) outs(%negative_c : memref<16x16xi8>) {accumulator = i32} epilogue() at [] {
  ^bb0(%s: i32):
    %f = arith.constant -0.5 : f32
    %t = quant.rescale %s, %f zero 0 clip -128 to 127 : i32, f32 -> i8
    linalg.yield %t : i8
  } loc("negative")
  nn.matmul ins(%clipped_a, %clipped_b : memref<16x32xi8>, memref<32x16xi8>) outs(%clipped_c : memref<16x16xi8>) {accumulator = i32} epilogue() at [] {
  ^bb0(%s: i32):
    %f = arith.constant 0.5 : f32
    %t = quant.rescale %s, %f zero 3 clip -128 to 100 : i32, f32 -> i8
    linalg.yield %t : i8
  } loc("clipped")
  nn.conv ins(%halo_x, %halo_w : memref<1x8x8x16xi8>, memref<16x3x3x16xi8>) outs(%halo_y : memref<1x8x8x16xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 1, 1, 1, 1>, groups = 1 : i64, accumulator = i32, channels_last} loc("halo")
  nn.conv ins(%groups_x, %groups_w : memref<1x8x8x32xi8>, memref<32x3x3x1xi8>) outs(%groups_y : memref<1x6x6x32xi32>) {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 32 : i64, accumulator = i32, channels_last} loc("groups")
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%ragged_a, %ragged_b : memref<8x24xi8>, memref<8x24xi8>) outs(%ragged_c : memref<8x24xi8>) {
  ^bb0(%0: i8, %1: i8, %2: i8):
    %3 = arith.extsi %0 : i8 to i32
    %4 = arith.extsi %1 : i8 to i32
    %5 = arith.addi %4, %3 overflow<nsw> : i32
    %f = arith.constant 0.5 : f32
    %6 = quant.rescale %5, %f zero 0 clip 0 to 127 : i32, f32 -> i8
    linalg.yield %6 : i8
  } loc("ragged")
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%opposite_a, %opposite_b : memref<8x32xi8>, memref<8x32xi8>) outs(%opposite_c : memref<8x32xi8>) {
  ^bb0(%0: i8, %1: i8, %2: i8):
    %3 = arith.extsi %0 : i8 to i32
    %4 = arith.extsi %1 : i8 to i32
    %5 = arith.addi %4, %3 overflow<nsw> : i32
    %f = arith.constant -0.5 : f32
    %6 = quant.rescale %5, %f zero 0 clip 0 to 127 : i32, f32 -> i8
    linalg.yield %6 : i8
  } loc("opposite")
  func.return
}
