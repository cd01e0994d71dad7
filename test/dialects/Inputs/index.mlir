module {
  func.func @binary(%arg0: index, %arg1: index) -> index {
    %0 = index.add %arg0, %arg1
    %1 = index.and %0, %arg1
    %2 = index.ceildivs %1, %arg1
    %3 = index.ceildivu %2, %arg1
    %4 = index.divs %3, %arg1
    %5 = index.divu %4, %arg1
    %6 = index.floordivs %5, %arg1
    %7 = index.maxs %6, %arg1
    %8 = index.maxu %7, %arg1
    %9 = index.mins %8, %arg1
    %10 = index.minu %9, %arg1
    %11 = index.mul %10, %arg1
    %12 = index.or %11, %arg1
    %13 = index.rems %12, %arg1
    %14 = index.remu %13, %arg1
    %15 = index.shl %14, %arg1
    %16 = index.shrs %15, %arg1
    %17 = index.shru %16, %arg1
    %18 = index.sub %17, %arg1 {test.note = 1 : i32}
    %19 = index.xor %18, %arg1
    return %19 : index
  }
}

// -----
module {
  func.func @compared(%arg0: index, %arg1: index) -> (i1, i1, i1, i1, i1, i1, i1, i1, i1, i1) {
    %0 = index.cmp eq(%arg0, %arg1)
    %1 = index.cmp ne(%arg0, %arg1)
    %2 = index.cmp slt(%arg0, %arg1)
    %3 = index.cmp sle(%arg0, %arg1)
    %4 = index.cmp sgt(%arg0, %arg1)
    %5 = index.cmp sge(%arg0, %arg1)
    %6 = index.cmp ult(%arg0, %arg1)
    %7 = index.cmp ule(%arg0, %arg1)
    %8 = index.cmp ugt(%arg0, %arg1)
    %9 = index.cmp uge(%arg0, %arg1) {test.note}
    return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9 : i1, i1, i1, i1, i1, i1, i1, i1, i1, i1
  }
}

// -----
module {
  func.func @others(%arg0: i32, %arg1: index) -> (index, index, i64, i8, index, i1, i1, index, index) {
    %0 = index.casts %arg0 : i32 to index
    %1 = index.castu %arg0 : i32 to index
    %2 = index.casts %arg1 : index to i64
    %3 = index.castu %arg1 : index to i8
    %idx-9223372036854775808 = index.constant -9223372036854775808
    %true = index.bool.constant true
    %false = index.bool.constant false
    %idx9223372036854775807 = index.constant 9223372036854775807
    %4 = index.sizeof
    return %0, %1, %2, %3, %idx-9223372036854775808, %true, %false, %idx9223372036854775807, %4 : index, index, i64, i8, index, i1, i1, index, index
  }
}

// -----
module {
  func.func @mixed(%arg0: index) -> index {
    %idx0 = index.constant 0
    %idx1 = index.constant 1
    %0 = scf.for %arg1 = %idx0 to %arg0 step %idx1 iter_args(%arg2 = %idx0) -> (index) {
      %1 = index.cmp ult(%arg1, %idx1)
      %2 = arith.select %1, %arg1, %arg2 : index
      %3 = index.add %arg2, %2
      scf.yield %3 : index
    }
    return %0 : index
  }
}

