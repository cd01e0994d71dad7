// RUN: opt-tool %s -p add-main{function=f} | filecheck %s

// CHECK:       func.func private @read(i32, i64, i64) -> i64
// CHECK:       func.func private @write(i32, i64, i64) -> i64
// CHECK-LABEL: func.func @main() -> i32
// CHECK-NEXT:    %[[NONE:.*]] = arith.constant 0 : i64
// CHECK-NEXT:    %[[X:.*]] = memref.alloc() : memref<2x3xi16>
// CHECK-NEXT:    %[[SIZE:.*]] = arith.constant 12 : i64
// CHECK-NEXT:    %[[AT:.*]] = memref.extract_aligned_pointer_as_index %[[X]] :
// CHECK-NEXT:    %[[IN:.*]] = arith.constant 0 : i32
// CHECK-NEXT:    %[[ADDRESS:.*]] = arith.index_cast %[[AT]] : index to i64
// CHECK-NEXT:    %[[READ:.*]] = func.call @read(%[[IN]], %[[ADDRESS]], %[[SIZE]])
// CHECK-NEXT:    %[[LEFT:.*]] = arith.subi %[[SIZE]], %[[READ]]
// CHECK-NEXT:    %[[MISSING:.*]] = arith.addi %[[NONE]], %[[LEFT]]
// CHECK-NEXT:    %[[TENSOR:.*]] = bufferization.to_tensor %[[X]] restrict

// A truth value is a byte.

// CHECK:         memref.alloc() : memref<5xi1>
// CHECK-NEXT:    arith.constant 5 : i64
// CHECK:         %[[Y:.*]] = func.call @f(%[[TENSOR]], %{{.*}}) : (tensor<2x3xi16>, tensor<5xi1>) -> tensor<f32>
// CHECK:         %[[OUT:.*]] = memref.alloc() : memref<f32>
// CHECK-NEXT:    bufferization.materialize_in_destination %[[Y]] in restrict writable %[[OUT]]
// CHECK-NEXT:    arith.constant 4 : i64
// CHECK:         func.call @write
// CHECK:         %[[STATUS:.*]] = arith.trunci
// CHECK-NEXT:    func.return %[[STATUS]] : i32
func.func @f(%x: tensor<2x3xi16>, %m: tensor<5xi1>) -> tensor<f32> {
  %y = arith.constant dense<1.0> : tensor<f32>
  func.return %y : tensor<f32>
}
