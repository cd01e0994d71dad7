// RUN: opt-tool %s -p 'attach-machine{target=%S/../machines/two_level.toml},verify-levels' | filecheck %s

// L1 has 65,536 bytes, of which buffers that begin at multiples of 4 take all.
// CHECK: func.func @network
memref.global "private" @near : memref<65529xi8, "L1"> = uninitialized
memref.global "private" @more : memref<1xi8, "L1"> = uninitialized
func.func @network(%x: memref<20xi8>) {
  func.return
}

// What is passed between functions of the program has its place already.
func.func private @kernel(%x: memref<16777216xi8>) {
  func.return
}
