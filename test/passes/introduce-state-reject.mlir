// RUN: opt-tool %s -p introduce-state{context=4} --split-input-file --verify-diagnostics

// expected-error@unknown {{the network has no cache}}
func.func @no_cache(%x: tensor<1x4xf32>, %y: tensor<1x4xf32>) -> tensor<1x8xf32> {
  %c = onnx.Concat(%x, %y) {axis = 1 : si64} : (tensor<1x4xf32>, tensor<1x4xf32>) -> tensor<1x8xf32>
  %r = onnx.Relu(%c) : (tensor<1x8xf32>) -> tensor<1x8xf32>
  func.return %r : tensor<1x8xf32>
}

// -----

// expected-error@unknown {{the context is smaller than the rows that each call adds}}
func.func @too_small(%p: tensor<1x2x4xf32>, %x: tensor<1x5x4xf32>) -> tensor<1x7x4xf32> {
  %c = onnx.Concat(%p, %x) {axis = 1 : si64} : (tensor<1x2x4xf32>, tensor<1x5x4xf32>) -> tensor<1x7x4xf32>
  func.return %c : tensor<1x7x4xf32>
}

// -----

func.func @used_besides(%p: tensor<1x2x4xf32>, %x: tensor<1x1x4xf32>) -> (tensor<1x3x4xf32>, tensor<1x2x4xf32>) {
  // expected-error@+1 {{input "arg0" is not a cache: it is used besides being joined with new rows}}
  %c = onnx.Concat(%p, %x) {axis = 1 : si64} : (tensor<1x2x4xf32>, tensor<1x1x4xf32>) -> tensor<1x3x4xf32>
  %r = onnx.Relu(%p) : (tensor<1x2x4xf32>) -> tensor<1x2x4xf32>
  func.return %c, %r : tensor<1x3x4xf32>, tensor<1x2x4xf32>
}

// -----

func.func @another_layout(%p: tensor<1x2x2xf32>, %x: tensor<1x1x2xf32>) -> tensor<1x2x3xf32> {
  // expected-error@+1 {{input "arg0" is not a cache: it comes back in another layout}}
  %c = onnx.Concat(%p, %x) {axis = 1 : si64} : (tensor<1x2x2xf32>, tensor<1x1x2xf32>) -> tensor<1x3x2xf32>
  %t = onnx.Transpose(%c) {perm = array<i64: 0, 2, 1>} : (tensor<1x3x2xf32>) -> tensor<1x2x3xf32>
  func.return %t : tensor<1x2x3xf32>
}

// -----

func.func @another_type(%p: tensor<1x2x4xf32>, %x: tensor<1x0x4xf32>) -> tensor<1x2x4xf32> {
  // expected-error@+1 {{input "arg0" is not a cache: it gets no new rows}}
  %c = onnx.Concat(%p, %x) {axis = 1 : si64} : (tensor<1x2x4xf32>, tensor<1x0x4xf32>) -> tensor<1x2x4xf32>
  func.return %c : tensor<1x2x4xf32>
}

// -----

func.func @one_row(%p: tensor<1x0x4xf32>, %x: tensor<1x1x4xf32>) -> tensor<1x1x4xf32> {
  // expected-error@+1 {{input "arg0" is not a cache: it has one row with its new one}}
  %c = onnx.Concat(%p, %x) {axis = 1 : si64} : (tensor<1x0x4xf32>, tensor<1x1x4xf32>) -> tensor<1x1x4xf32>
  func.return %c : tensor<1x1x4xf32>
}

// -----

func.func @two_lengths(%p: tensor<1x2x4xf32>, %q: tensor<1x3x4xf32>, %x: tensor<1x1x4xf32>) -> (tensor<1x3x4xf32>, tensor<1x4x4xf32>) {
  %c = onnx.Concat(%p, %x) {axis = 1 : si64} : (tensor<1x2x4xf32>, tensor<1x1x4xf32>) -> tensor<1x3x4xf32>
  // expected-error@+1 {{two caches differ in length}}
  %d = onnx.Concat(%q, %x) {axis = 1 : si64} : (tensor<1x3x4xf32>, tensor<1x1x4xf32>) -> tensor<1x4x4xf32>
  func.return %c, %d : tensor<1x3x4xf32>, tensor<1x4x4xf32>
}

// -----

func.func @mean(%p: tensor<1x2x4xf32>, %x: tensor<1x1x4xf32>) -> (tensor<1x3x4xf32>, tensor<1x4xf32>) {
  %axes = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  %c = onnx.Concat(%p, %x) {axis = 1 : si64} : (tensor<1x2x4xf32>, tensor<1x1x4xf32>) -> tensor<1x3x4xf32>
  // expected-error@+1 {{ReduceMean of a varying number of values over cached rows is not exact}}
  %m = onnx.ReduceMean(%c, %axes) {keepdims = 0 : si64} : (tensor<1x3x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  func.return %c, %m : tensor<1x3x4xf32>, tensor<1x4xf32>
}

// -----

func.func @normalised(%p: tensor<1x2xf32>, %x: tensor<1x1xf32>, %w: tensor<3xf32>) -> (tensor<1x3xf32>, tensor<1x3xf32>) {
  %c = onnx.Concat(%p, %x) {axis = 1 : si64} : (tensor<1x2xf32>, tensor<1x1xf32>) -> tensor<1x3xf32>
  // expected-error@+1 {{the rows of a cache cannot be followed through iRMSNorm}}
  %n = onnx.iRMSNorm(%c, %w) {D = 65536 : si64} : (tensor<1x3xf32>, tensor<3xf32>) -> tensor<1x3xf32>
  func.return %c, %n : tensor<1x3xf32>, tensor<1x3xf32>
}

// -----

func.func @unknown(%p: tensor<1x2x4xf32>, %x: tensor<1x1x4xf32>, %axis: tensor<i64>) -> (tensor<1x3x4xf32>, tensor<1x3x4xf32>) {
  %c = onnx.Concat(%p, %x) {axis = 1 : si64} : (tensor<1x2x4xf32>, tensor<1x1x4xf32>) -> tensor<1x3x4xf32>
  // expected-error@+1 {{the rows of a cache cannot be followed through CumSum}}
  %n = onnx.CumSum(%c, %axis) {reverse = 1 : si64} : (tensor<1x3x4xf32>, tensor<i64>) -> tensor<1x3x4xf32>
  func.return %c, %n : tensor<1x3x4xf32>, tensor<1x3x4xf32>
}

// -----

func.func @output_grows(%p: tensor<1x2x4xf32>, %x: tensor<1x1x4xf32>) -> (tensor<1x3x4xf32>, tensor<1x3x4xf32>) {
  %c = onnx.Concat(%p, %x) {axis = 1 : si64} : (tensor<1x2x4xf32>, tensor<1x1x4xf32>) -> tensor<1x3x4xf32>
  // expected-error@+1 {{an output would have the rows of a cache}}
  %n = onnx.Relu(%c) : (tensor<1x3x4xf32>) -> tensor<1x3x4xf32>
  func.return %c, %n : tensor<1x3x4xf32>, tensor<1x3x4xf32>
}

// -----

func.func @constant_rows(%p: tensor<1x2x4xf32>, %x: tensor<1x1x4xf32>) -> (tensor<1x3x4xf32>, tensor<1x4xf32>) {
  %axes = onnx.Constant() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
  // expected-error@+1 {{a constant has a value of its own for each cached row}}
  %k = onnx.Constant() {value = dense<[[1.0], [5.0], [2.0]]> : tensor<3x1xf32>} : () -> tensor<3x1xf32>
  %c = onnx.Concat(%p, %x) {axis = 1 : si64} : (tensor<1x2x4xf32>, tensor<1x1x4xf32>) -> tensor<1x3x4xf32>
  %a = onnx.Mul(%c, %k) : (tensor<1x3x4xf32>, tensor<3x1xf32>) -> tensor<1x3x4xf32>
  %s = onnx.ReduceSum(%a, %axes) {keepdims = 0 : si64} : (tensor<1x3x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  func.return %c, %s : tensor<1x3x4xf32>, tensor<1x4xf32>
}

// -----

// expected-error@unknown {{the input 'position' of a network with caches is not a position}}
func.func @no_position(%p: tensor<1x2x4xf32>, %x: tensor<1x1x4xf32>, %n: tensor<2xi64> {onnx.name = "position"}) -> tensor<1x3x4xf32> {
  %c = onnx.Concat(%p, %x) {axis = 1 : si64} : (tensor<1x2x4xf32>, tensor<1x1x4xf32>) -> tensor<1x3x4xf32>
  func.return %c : tensor<1x3x4xf32>
}

// -----

func.func @table(%p: tensor<1x2x4xf32>, %x: tensor<1x1x4xf32>, %n: tensor<1xi64> {onnx.name = "position"}) -> (tensor<1x3x4xf32>, tensor<1x4xf32>) {
  %t = onnx.Constant() {value = dense<1.0> : tensor<3x4xf32>} : () -> tensor<3x4xf32>
  // expected-error@+1 {{the context is longer than a table of 3 positions}}
  %g = onnx.Gather(%t, %n) : (tensor<3x4xf32>, tensor<1xi64>) -> tensor<1x4xf32>
  %c = onnx.Concat(%p, %x) {axis = 1 : si64} : (tensor<1x2x4xf32>, tensor<1x1x4xf32>) -> tensor<1x3x4xf32>
  func.return %c, %g : tensor<1x3x4xf32>, tensor<1x4xf32>
}

// -----

// expected-error@+1 {{argument 2 is no tensor}}
func.func @scalar(%p: tensor<1x2x4xf32>, %x: tensor<1x1x4xf32>, %i: i32 {onnx.name = "position"}) -> tensor<1x3x4xf32> {
  %c = onnx.Concat(%p, %x) {axis = 1 : si64} : (tensor<1x2x4xf32>, tensor<1x1x4xf32>) -> tensor<1x3x4xf32>
  func.return %c : tensor<1x3x4xf32>
}
