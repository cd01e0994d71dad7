// RUN: opt-tool %s -p 'attach-machine{target=%S/../machines/two_level.toml},verify-levels' | filecheck %s

// Of the memories in L1, 65,536 bytes, in which functions work at different times, the largest is the one that is there.
// CHECK: func.func @network
memref.global "private" @near : memref<65536xi8, "L1"> = uninitialized
memref.global "private" @near_3 : memref<40000xi8, "L1"> = uninitialized
func.func @network(%at: memref<1xi32> {tilewright.state = array<i64: 1, 9>}) {
  %near = "memref.get_global"() <{name = @near}> : () -> memref<65536xi8, "L1">
  func.return
}

// The inputs and outputs of a bucket are those of its function, here 9,000,000 of 16,777,216 bytes.
func.func @other(%x: memref<9000000xi8>, %at: memref<1xi32> {tilewright.state = array<i64: 1, 9>}) {
  func.return
}
func.func @other_3(%x: memref<9000000xi8>, %at: memref<1xi32> {tilewright.state = array<i64: 1, 3>}) attributes {tilewright.bucket_of = "other"} {
  %near = "memref.get_global"() <{name = @near_3}> : () -> memref<40000xi8, "L1">
  func.return
}
