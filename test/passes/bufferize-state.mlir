// RUN: opt-tool %s -p bufferize | filecheck %s
// RUN: opt-tool %s -p cse | filecheck %s --check-prefix=CSE

// State is memory of its own. New rows go straight into it, by a function that all such copies share.
// CHECK:       memref.global "private" @k : memref<1x8x4xi8> = dense<0> {tilewright.state}
// CHECK-LABEL: func.func private @write_rows(%rows: memref<1x2x4xi8>, %whole: memref<1x8x4xi8>, %{{.*}}: index) {
// CHECK-NEXT:    %[[PART:.*]] = memref.subview %whole[0, %{{.*}}, 0] [1, 2, 4] [1, 1, 1] : memref<1x8x4xi8> to memref<1x2x4xi8, strided<[32, 4, 1], offset: ?>>
// CHECK-NEXT:    memref.copy %rows, %[[PART]]
// CHECK-LABEL: func.func @in_place(
// CHECK-NEXT:    %old = memref.get_global @k : memref<1x8x4xi8>
// CHECK-NEXT:    %zero = arith.constant 0 : index
// CHECK-NEXT:    %[[ELEMENT:.*]] = memref.load %p[%zero]
// CHECK-NEXT:    %[[AT:.*]] = arith.index_cast %[[ELEMENT]] : i32 to index
// CHECK-NEXT:    func.call @write_rows(%x, %old, %[[AT]])
// CHECK-NEXT:    nn.reduce ins(%old : memref<1x8x4xi8>)
ml_program.global private mutable @k(dense<0> : tensor<1x8x4xi8>) : tensor<1x8x4xi8>
ml_program.global private mutable @l(dense<0> : tensor<1x8x4xi8>) : tensor<1x8x4xi8>
ml_program.global private mutable @m(dense<[3, 4]> : tensor<2xi8>) : tensor<2xi8>

func.func @in_place(%x: tensor<1x2x4xi8>, %p: tensor<1xi32>) -> tensor<1x4xi32> {
  %zero = arith.constant 0 : index
  %old = ml_program.global_load @k : tensor<1x8x4xi8>
  %e = tensor.extract %p[%zero] : tensor<1xi32>
  %at = arith.index_cast %e : i32 to index
  %new = tensor.insert_slice %x into %old[0, %at, 0] [1, 2, 4] [1, 1, 1] : tensor<1x2x4xi8> into tensor<1x8x4xi8>
  ml_program.global_store @k = %new : tensor<1x8x4xi8>
  %init = tensor.empty() : tensor<1x4xi32>
  %s = nn.reduce ins(%new : tensor<1x8x4xi8>) outs(%init : tensor<1x4xi32>) {kind = "sum", axes = array<i64: 1>, accumulator = i32}
  func.return %s : tensor<1x4xi32>
}

// What a state was is still needed: it is copied when it is loaded.
// CHECK-LABEL: func.func @old_value_needed(
// CHECK:         %old = memref.get_global @l
// CHECK:         %[[COPY:.*]] = memref.alloc() : memref<1x8x4xi8>
// CHECK-NEXT:    memref.copy %old, %[[COPY]]
// CHECK-NEXT:    %[[NEW:.*]] = memref.alloc() : memref<1x8x4xi8>
// CHECK-NEXT:    memref.copy %[[COPY]], %[[NEW]]
// CHECK-NEXT:    %[[PART:.*]] = memref.subview %[[NEW]][0, 0, 0] [1, 2, 4] [1, 1, 1]
// CHECK-NEXT:    memref.copy %x, %[[PART]]
// CHECK-NEXT:    memref.copy %[[NEW]], %{{.*}}
// CHECK-NEXT:    nn.reduce ins(%[[COPY]] : memref<1x8x4xi8>)
func.func @old_value_needed(%x: tensor<1x2x4xi8>) -> tensor<1x4xi32> {
  %old = ml_program.global_load @l : tensor<1x8x4xi8>
  %new = tensor.insert_slice %x into %old[0, 0, 0] [1, 2, 4] [1, 1, 1] : tensor<1x2x4xi8> into tensor<1x8x4xi8>
  ml_program.global_store @l = %new : tensor<1x8x4xi8>
  %init = tensor.empty() : tensor<1x4xi32>
  %s = nn.reduce ins(%old : tensor<1x8x4xi8>) outs(%init : tensor<1x4xi32>) {kind = "sum", axes = array<i64: 1>, accumulator = i32}
  func.return %s : tensor<1x4xi32>
}

// Two loads around a store are two values, which sharing equal ops leaves alone.
// CHECK-LABEL: func.func @around_a_store(
// CHECK:         memref.copy %{{.*}}, %[[BEFORE:.*]] : memref<2xi8> to memref<2xi8>
// CHECK:         memref.copy %x, %{{.*}} : memref<2xi8> to memref<2xi8>
// CHECK:         memref.copy %{{.*}}, %[[AFTER:.*]] : memref<2xi8> to memref<2xi8>
// CSE-LABEL:   func.func @around_a_store(
// CSE:           ml_program.global_load @m
// CSE-NEXT:      ml_program.global_store @m
// CSE-NEXT:      ml_program.global_load @m
func.func @around_a_store(%x: tensor<2xi8>) -> (tensor<2xi8>, tensor<2xi8>) {
  %a = ml_program.global_load @m : tensor<2xi8>
  ml_program.global_store @m = %x : tensor<2xi8>
  %b = ml_program.global_load @m : tensor<2xi8>
  func.return %a, %b : tensor<2xi8>, tensor<2xi8>
}

// A value that is alive while a loop stores another one is copied where it is loaded.

// CHECK-LABEL: func.func @stored_in_a_loop
// CHECK:         %old = memref.get_global @kept
// CHECK-NEXT:    %[[COPY:.*]] = memref.alloc() : memref<4xi32>
// CHECK-NEXT:    memref.copy %old, %[[COPY]]
// CHECK:         scf.for
// CHECK:           memref.copy %[[COPY]], %{{.*}}
ml_program.global private mutable @kept(dense<1> : tensor<4xi32>) : tensor<4xi32>
func.func @stored_in_a_loop(%x: tensor<4xi32>) -> tensor<4xi32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %old = ml_program.global_load @kept : tensor<4xi32>
  %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%t = %x) -> (tensor<4xi32>) {
    ml_program.global_store @kept = %t : tensor<4xi32>
    scf.yield %old : tensor<4xi32>
  }
  return %r : tensor<4xi32>
}
