// RUN: opt-tool %s -p tabulate | filecheck %s
// RUN: opt-tool %s -p 'bufferize,tabulate,convert-kernels-to-loops' | filecheck %s --check-prefix=LOOPS

// What is divided is a byte: a product and a shift give the quotient of each.

// CHECK-LABEL: func.func @divided
// CHECK:       quant.requantize
// CHECK:       [[M:%.+]] = arith.muli %{{.*}} overflow<nsw> : i32
// CHECK:       [[A:%.+]] = arith.addi [[M]], %{{.*}} overflow<nsw> : i32
// CHECK:       [[S:%.+]] = arith.shrsi [[A]], %{{.*}} : i32
// CHECK-NEXT:  [[Y:%.+]] = arith.trunci [[S]] : i32 to i8
// CHECK-NEXT:  linalg.yield [[Y]]
func.func @divided(%x: tensor<4xi32>) -> tensor<4xi8> {
  %e = tensor.empty() : tensor<4xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi32>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: i32, %b: i8):
    %m = arith.constant 3 : i32
    %z = arith.constant 0 : i32
    %q = quant.requantize %a, %m, %z shift 4 clip -128 to 127 in i32 : i32, i32, i32 -> i8
    %w = arith.extsi %q : i8 to i32
    %d = arith.constant 7 : i32
    %r = arith.floordivsi %w, %d : i32
    %t = arith.trunci %r : i32 to i8
    linalg.yield %t : i8
  } -> tensor<4xi8>
  func.return %y : tensor<4xi8>
}

// No line goes through quotients that are rounded toward zero: they stand in a table. What depends on two numbers has
// none, and a sum is no work that is worth one.

// LOOPS:       memref.global "private" constant @table_0 : 
// LOOPS:       %table = memref.get_global @table_0 : memref<256xi8>
// LOOPS:       memref.load %table[%{{.*}}] : memref<256xi8>
// CHECK-LABEL: func.func @other
// CHECK:       quant.lookup %a {table = dense<{{.*}}> : tensor<256xi8>} : i8 -> i8
// CHECK-NEXT:  arith.addi
// CHECK-NOT:   quant.lookup
// CHECK:       func.return
func.func @other(%x: tensor<4xi8>, %v: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>) {
  %e = tensor.empty() : tensor<4xi8>
  %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x, %v : tensor<4xi8>, tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb0(%a: i8, %b: i8, %c: i8):
    %d = arith.constant 7 : i8
    %q = arith.divsi %a, %d : i8
    %r = arith.addi %q, %b : i8
    linalg.yield %r : i8
  } -> tensor<4xi8>
  %z = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xi8>) outs(%e : tensor<4xi8>) {
  ^bb1(%a: i8, %c: i8):
    %r = arith.addi %a, %a : i8
    linalg.yield %r : i8
  } -> tensor<4xi8>
  func.return %y, %z : tensor<4xi8>, tensor<4xi8>
}
