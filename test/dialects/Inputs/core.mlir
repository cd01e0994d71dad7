module {
  func.func @arith(%arg0: i32, %arg1: i32, %arg2: f32, %arg3: f32, %arg4: i1, %arg5: vector<4xi32>, %arg6: index, %arg7: tensor<4xf32>) -> i32 {
    %0 = arith.addi %arg0, %arg1 overflow<nsw, nuw> : i32
    %sum, %overflow = arith.addui_extended %arg0, %arg1 : i32, i1
    %low, %high = arith.mulsi_extended %arg0, %arg1 : i32
    %low_0, %high_1 = arith.mului_extended %arg0, %arg1 : i32
    %1 = arith.cmpi ult, %arg0, %arg1 : i32
    %2 = arith.cmpf oeq, %arg2, %arg3 fastmath<fast> : f32
    %3 = arith.select %arg4, %arg0, %arg1 : i32
    %4 = arith.divf %arg2, %arg3 fastmath<nnan,ninf> : f32
    %5 = arith.maximumf %arg2, %arg3 : f32
    %6 = arith.minnumf %arg2, %arg3 : f32
    %7 = arith.ceildivsi %arg0, %arg1 : i32
    %8 = arith.ceildivui %arg0, %arg1 : i32
    %9 = arith.floordivsi %arg0, %arg1 : i32
    %10 = arith.shli %arg0, %arg1 overflow<nsw> : i32
    %11 = arith.extsi %arg0 : i32 to i64
    %12 = arith.extui %arg0 : i32 to i64
    %13 = arith.trunci %arg0 : i32 to i8
    %14 = arith.extf %arg2 : f32 to f64
    %15 = arith.truncf %arg2 : f32 to f16
    %16 = arith.sitofp %arg0 : i32 to f32
    %17 = arith.uitofp %arg0 : i32 to f32
    %18 = arith.fptosi %arg2 : f32 to i32
    %19 = arith.fptoui %arg2 : f32 to i32
    %20 = arith.index_cast %arg6 : index to i32
    %21 = arith.index_castui %arg0 : i32 to index
    %22 = arith.bitcast %arg2 : f32 to i32
    %23 = arith.negf %arg2 : f32
    %24 = arith.remf %arg2, %arg3 : f32
    %cst = arith.constant dense<[1, 2, 3, 4]> : vector<4xi32>
    %25 = arith.addi %arg5, %cst : vector<4xi32>
    %26 = arith.addf %arg7, %arg7 : tensor<4xf32>
    %true = arith.constant true
    %cst_2 = arith.constant 0x7F800000 : f32
    %cst_3 = arith.constant dense<1.500000e+00> : tensor<4xf32>
    %27 = arith.xori %arg0, %arg1 {test.x} : i32
    %28 = arith.shrsi %arg0, %arg1 : i32
    %29 = arith.shrui %arg0, %arg1 : i32
    %30 = arith.maxsi %arg0, %arg1 : i32
    %31 = arith.minui %arg0, %arg1 : i32
    %32 = arith.remui %arg0, %arg1 : i32
    return %0 : i32
  }
}

// -----
module {
  func.func @math(%arg0: f32, %arg1: f32, %arg2: i32, %arg3: vector<4xf32>) -> f32 {
    %0 = math.absf %arg0 : f32
    %1 = math.absi %arg2 : i32
    %2 = math.acos %arg0 : f32
    %3 = math.acosh %arg0 : f32
    %4 = math.asin %arg0 : f32
    %5 = math.asinh %arg0 : f32
    %6 = math.atan %arg0 : f32
    %7 = math.atan2 %arg0, %arg1 fastmath<fast> : f32
    %8 = math.atanh %arg0 : f32
    %9 = math.cbrt %arg0 : f32
    %10 = math.ceil %arg0 : f32
    %11 = math.copysign %arg0, %arg1 : f32
    %12 = math.cos %arg0 : f32
    %13 = math.cosh %arg0 : f32
    %14 = math.ctlz %arg2 : i32
    %15 = math.ctpop %arg2 : i32
    %16 = math.cttz %arg2 : i32
    %17 = math.erf %arg0 : f32
    %18 = math.exp %arg3 : vector<4xf32>
    %19 = math.exp2 %arg0 : f32
    %20 = math.expm1 %arg0 : f32
    %21 = math.floor %arg0 : f32
    %22 = math.fma %arg0, %arg1, %arg0 : f32
    %23 = math.fpowi %arg0, %arg2 : f32, i32
    %24 = math.ipowi %arg2, %arg2 : i32
    %25 = math.log %arg0 : f32
    %26 = math.log10 %arg0 : f32
    %27 = math.log1p %arg0 : f32
    %28 = math.log2 %arg0 : f32
    %29 = math.powf %arg0, %arg1 : f32
    %30 = math.round %arg0 : f32
    %31 = math.roundeven %arg0 : f32
    %32 = math.rsqrt %arg0 : f32
    %33 = math.sin %arg0 {test.x} : f32
    %34 = math.sinh %arg0 : f32
    %35 = math.sqrt %arg0 : f32
    %36 = math.tan %arg0 : f32
    %37 = math.tanh %arg0 : f32
    %38 = math.trunc %arg0 : f32
    return %0 : f32
  }
}

// -----
module {
  func.func @cf(%arg0: i1, %arg1: i32, %arg2: f32) -> f32 {
    cf.assert %arg0, "positive"
    cf.cond_br %arg0, ^bb1(%arg2 : f32), ^bb2
  ^bb1(%0: f32):  // 2 preds: ^bb0, ^bb2
    cf.br ^bb3(%0 : f32)
  ^bb2:  // 2 preds: ^bb0, ^bb2
    cf.switch %arg1 : i32, [
      default: ^bb3(%arg2 : f32),
      42: ^bb1(%arg2 : f32),
      4294967293: ^bb2
    ]
  ^bb3(%1: f32):  // 2 preds: ^bb1, ^bb2
    return %1 : f32
  }
}

// -----
module {
  func.func private @declared(i32) -> (i32, f32)
  func.func private @attributed(%arg0: i32 {test.x}) -> (i32 {test.y}) attributes {test.z} {
    return %arg0 : i32
  }
  func.func @calls(%arg0: i32) -> i32 {
    %0:2 = call @declared(%arg0) : (i32) -> (i32, f32)
    %f = constant @attributed : (i32) -> i32
    %1 = call_indirect %f(%0#0) : (i32) -> i32
    return %1 : i32
  }
}

// -----
module {
  func.func @f(%arg0: vector<4xi8>) -> vector<4xi32> {
    %0 = arith.extsi %arg0 : vector<4xi8> to vector<4xi32>
    return %0 : vector<4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: vector<4xi8>) -> vector<4xi32> {
    %0 = arith.extui %arg0 : vector<4xi8> to vector<4xi32>
    return %0 : vector<4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: vector<4xi32>) -> vector<4xi8> {
    %0 = arith.trunci %arg0 : vector<4xi32> to vector<4xi8>
    return %0 : vector<4xi8>
  }
}

// -----
module {
  func.func @f(%arg0: vector<4xf32>) -> vector<4xf64> {
    %0 = arith.extf %arg0 : vector<4xf32> to vector<4xf64>
    return %0 : vector<4xf64>
  }
}

// -----
module {
  func.func @f(%arg0: vector<4xf64>) -> vector<4xf32> {
    %0 = arith.truncf %arg0 : vector<4xf64> to vector<4xf32>
    return %0 : vector<4xf32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4xi8>) -> tensor<4xf32> {
    %0 = arith.sitofp %arg0 : tensor<4xi8> to tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----
module {
  func.func @f(%arg0: vector<4xi8>) -> vector<4xf32> {
    %0 = arith.uitofp %arg0 : vector<4xi8> to vector<4xf32>
    return %0 : vector<4xf32>
  }
}

// -----
module {
  func.func @f(%arg0: vector<4xf32>) -> vector<4xi32> {
    %0 = arith.fptosi %arg0 : vector<4xf32> to vector<4xi32>
    return %0 : vector<4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: vector<4xf32>) -> vector<4xi32> {
    %0 = arith.fptoui %arg0 : vector<4xf32> to vector<4xi32>
    return %0 : vector<4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: vector<4xindex>) -> vector<4xi32> {
    %0 = arith.index_cast %arg0 : vector<4xindex> to vector<4xi32>
    return %0 : vector<4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: tensor<4xi8>) -> tensor<4xindex> {
    %0 = arith.index_castui %arg0 : tensor<4xi8> to tensor<4xindex>
    return %0 : tensor<4xindex>
  }
}

// -----
module {
  func.func @f(%arg0: vector<4xf32>) -> vector<4xi32> {
    %0 = arith.bitcast %arg0 : vector<4xf32> to vector<4xi32>
    return %0 : vector<4xi32>
  }
}

// -----
module {
  func.func @f(%arg0: vector<4xf32>, %arg1: vector<4xi1>, %arg2: i1) -> vector<4xf32> {
    %0 = arith.select %arg1, %arg0, %arg0 : vector<4xi1>, vector<4xf32>
    %1 = arith.select %arg2, %0, %arg0 {test.x} : vector<4xf32>
    return %0 : vector<4xf32>
  }
}

// -----
module {
  func.func @f(%arg0: vector<4xf32>, %arg1: tensor<4xf32>, %arg2: tensor<4xi32>) -> vector<4xf32> {
    %0 = math.exp %arg0 : vector<4xf32>
    %1 = math.powf %arg1, %arg1 : tensor<4xf32>
    %2 = math.ctpop %arg2 : tensor<4xi32>
    %3 = math.fpowi %arg1, %arg2 : tensor<4xf32>, tensor<4xi32>
    %4 = math.absi %arg2 : tensor<4xi32>
    %5 = arith.negf %arg0 : vector<4xf32>
    %6 = arith.remf %arg0, %arg0 : vector<4xf32>
    %7 = arith.maxnumf %arg1, %arg1 : tensor<4xf32>
    %8 = math.fma %arg0, %arg0, %arg0 : vector<4xf32>
    return %0 : vector<4xf32>
  }
}

// -----
module {
  func.func @f(%arg0: vector<4xf32>, %arg1: tensor<4xi8>, %arg2: f32, %arg3: i8) -> vector<4xi1> {
    %0 = arith.cmpf olt, %arg0, %arg0 fastmath<nnan> : vector<4xf32>
    %1 = arith.cmpi slt, %arg1, %arg1 : tensor<4xi8>
    %2 = arith.cmpi slt, %arg3, %arg3 {test.x} : i8
    %3 = arith.cmpf olt, %arg2, %arg2 {test.x} : f32
    return %0 : vector<4xi1>
  }
}

// -----
module {
  func.func @f(%arg0: vector<4xi32>) -> vector<4xi1> {
    %sum, %overflow = arith.addui_extended %arg0, %arg0 : vector<4xi32>, vector<4xi1>
    return %overflow : vector<4xi1>
  }
}
