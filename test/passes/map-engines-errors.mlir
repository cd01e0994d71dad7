// RUN: opt-tool %s --split-input-file --verify-diagnostics -p map-engines
// RUN: not opt-tool %s --split-input-file -p map-engines 2>&1 | filecheck %s

// CHECK:      engine 'npu' does not run 'nn.conv' on i8, i8, i64
// CHECK: expected: one that does: core
// CHECK-NEXT: remedy: change the attribute 'engine', or remove it to have the fastest

// The one that is named does not take these types.
builtin.module attributes {hier.machine = {name = "small", levels = {RAM = {size = 65536 : i64}}, engines = {core = {level = {ins = ["RAM"]},
    runs = {"*" = {cost = "per_point", types = ["i8", "i32"], cycles = [3.0 : f64]}}}, npu = {level = {ins = ["RAM"]},
    runs = {nn.conv = {cost = "per_mac", types = ["i8"], result_types = ["i32"], macs_per_cycle = 8.0 : f64}}}}}} {
  func.func @types(%x: tensor<1x2x4x4xi8>, %w: tensor<2x2x3x3xi8>, %o: tensor<1x2x2x2xi64>) {
    // expected-error@+1 {{engine 'npu' does not run 'nn.conv' on i8, i8, i64}}
    %r = nn.conv ins(%x, %w : tensor<1x2x4x4xi8>, tensor<2x2x3x3xi8>) outs(%o : tensor<1x2x2x2xi64>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
       accumulator = i64, engine = "npu"}
    func.return
  }
}

// -----

// There is none of that name.
builtin.module attributes {hier.machine = {name = "small", levels = {RAM = {size = 65536 : i64}}, engines = {core = {level = {ins = ["RAM"]},
    runs = {"*" = {cost = "per_point", types = ["i8", "i32"], cycles = [3.0 : f64]}}}, npu = {level = {ins = ["RAM"]},
    runs = {nn.conv = {cost = "per_mac", types = ["i8"], result_types = ["i32"], macs_per_cycle = 8.0 : f64}}}}}} {
  func.func @absent(%x: tensor<1x2x4x4xi8>, %w: tensor<2x2x3x3xi8>, %o: tensor<1x2x2x2xi32>) {
    // expected-error@+1 {{'small' has no engine 'cor' for 'nn.conv' on i8, i8, i32}}
    %r = nn.conv ins(%x, %w : tensor<1x2x4x4xi8>, tensor<2x2x3x3xi8>) outs(%o : tensor<1x2x2x2xi32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
       accumulator = i32, engine = "cor"}
    func.return
  }
}

// -----

// A number is no name.
builtin.module attributes {hier.machine = {name = "small", levels = {RAM = {size = 65536 : i64}}, engines = {core = {level = {ins = ["RAM"]},
    runs = {"*" = {cost = "per_point", types = ["i8", "i32"], cycles = [3.0 : f64]}}}, npu = {level = {ins = ["RAM"]},
    runs = {nn.conv = {cost = "per_mac", types = ["i8"], result_types = ["i32"], macs_per_cycle = 8.0 : f64}}}}}} {
  func.func @no_text(%x: tensor<1x2x4x4xi8>, %w: tensor<2x2x3x3xi8>, %o: tensor<1x2x2x2xi32>) {
    // expected-error@+1 {{'small' has no engine '3 : i64' for 'nn.conv' on i8, i8, i32}}
    %r = nn.conv ins(%x, %w : tensor<1x2x4x4xi8>, tensor<2x2x3x3xi8>) outs(%o : tensor<1x2x2x2xi32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
       accumulator = i32, engine = 3 : i64}
    func.return
  }
}

// -----

// None takes floats.
builtin.module attributes {hier.machine = {name = "small", levels = {RAM = {size = 65536 : i64}}, engines = {core = {level = {ins = ["RAM"]},
    runs = {"*" = {cost = "per_point", types = ["i8", "i32"], cycles = [3.0 : f64]}}}, npu = {level = {ins = ["RAM"]},
    runs = {nn.conv = {cost = "per_mac", types = ["i8"], result_types = ["i32"], macs_per_cycle = 8.0 : f64}}}}}} {
  func.func @none(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x3x3xf32>, %o: tensor<1x2x2x2xf32>) {
    // expected-error@+1 {{no engine of 'small' runs 'nn.conv' on these types}}
    %r = nn.conv ins(%x, %w : tensor<1x2x4x4xf32>, tensor<2x2x3x3xf32>) outs(%o : tensor<1x2x2x2xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
       accumulator = f32}
    func.return
  }
}

// -----

// None takes floats, so that no name would do.
builtin.module attributes {hier.machine = {name = "small", levels = {RAM = {size = 65536 : i64}}, engines = {core = {level = {ins = ["RAM"]},
    runs = {"*" = {cost = "per_point", types = ["i8", "i32"], cycles = [3.0 : f64]}}}, npu = {level = {ins = ["RAM"]},
    runs = {nn.conv = {cost = "per_mac", types = ["i8"], result_types = ["i32"], macs_per_cycle = 8.0 : f64}}}}}} {
  func.func @none_that_could(%x: tensor<1x2x4x4xf32>, %w: tensor<2x2x3x3xf32>, %o: tensor<1x2x2x2xf32>) {
    // expected-error@+1 {{no engine of 'small' runs 'nn.conv' on these types}}
    %r = nn.conv ins(%x, %w : tensor<1x2x4x4xf32>, tensor<2x2x3x3xf32>) outs(%o : tensor<1x2x2x2xf32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
       accumulator = f32, engine = "core"}
    func.return
  }
}

// -----

// As it should be.
builtin.module attributes {hier.machine = {name = "small", levels = {RAM = {size = 65536 : i64}}, engines = {core = {level = {ins = ["RAM"]},
    runs = {"*" = {cost = "per_point", types = ["i8", "i32"], cycles = [3.0 : f64]}}}, npu = {level = {ins = ["RAM"]},
    runs = {nn.conv = {cost = "per_mac", types = ["i8"], result_types = ["i32"], macs_per_cycle = 8.0 : f64}}}}}} {
  func.func @good(%x: tensor<1x2x4x4xi8>, %w: tensor<2x2x3x3xi8>, %o: tensor<1x2x2x2xi32>) {
    %r = nn.conv ins(%x, %w : tensor<1x2x4x4xi8>, tensor<2x2x3x3xi8>) outs(%o : tensor<1x2x2x2xi32>)
      {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads = array<i64: 0, 0, 0, 0>, groups = 1 : i64,
       accumulator = i32, engine = "npu"}
    func.return
  }
}
