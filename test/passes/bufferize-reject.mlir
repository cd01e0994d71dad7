// RUN: opt-tool %s -p bufferize --split-input-file --verify-diagnostics

func.func @graph_level(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'onnx.Relu' has no bufferisation}}
  %y = onnx.Relu(%x) : (tensor<4xf32>) -> tensor<4xf32>
  func.return %y : tensor<4xf32>
}

// -----

// expected-error@+1 {{a function argument or result has type i32}}
func.func @scalar(%x: i32) {
  func.return
}

// -----

func.func @pad(%x: tensor<4xi8>, %y: tensor<4xi8>) -> tensor<5xi8> {
  // expected-error@+1 {{only static padding with a constant can be bufferised}}
  %p = tensor.pad %x low[1] high[0] {
  ^bb0(%i: index):
    %f = arith.index_cast %i : index to i8
    tensor.yield %f : i8
  } : tensor<4xi8> to tensor<5xi8>
  func.return %p : tensor<5xi8>
}

// -----

func.func @dropped_axis(%x: tensor<4x4xi8>) -> tensor<4xi8> {
  // expected-error@+1 {{a slice with dynamic or dropped axes cannot be turned into a view}}
  %p = tensor.extract_slice %x[0, 0] [1, 4] [1, 1] : tensor<4x4xi8> to tensor<4xi8>
  func.return %p : tensor<4xi8>
}

// -----

// expected-error@+1 {{the global @k cannot be bufferised}}
ml_program.global private mutable @k : tensor<4xi8>
func.func @f() {
  func.return
}

// -----

ml_program.global private mutable @k(dense<0> : tensor<2x4xi8>) : tensor<2x4xi8>
func.func @fewer_axes(%x: tensor<4xi8>) {
  %old = ml_program.global_load @k : tensor<2x4xi8>
  // expected-error@+1 {{a slice of fewer axes cannot be put into a buffer}}
  %new = tensor.insert_slice %x into %old[0, 0] [1, 4] [1, 1] : tensor<4xi8> into tensor<2x4xi8>
  ml_program.global_store @k = %new : tensor<2x4xi8>
  func.return
}

// -----

func.func @branches(%b: tensor<i1>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %c = tensor.extract %b[] : tensor<i1>
  %y = scf.if %c -> (tensor<4xf32>) {
    scf.yield %x : tensor<4xf32>
  } else {
    // expected-error@+1 {{a branch yields other types than the results of 'scf.if'}}
    scf.yield
  }
  func.return %y : tensor<4xf32>
}
