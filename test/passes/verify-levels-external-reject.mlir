// RUN: opt-tool %s --split-input-file --verify-diagnostics -p 'attach-machine{target=%S/../machines/external.toml},verify-levels'

memref.global "private" @weights : memref<16xi8> = uninitialized
func.func @network() {
  %zero = arith.constant 0 : index
  %w = memref.get_global @weights : memref<16xi8>
  // expected-error @+1 {{'memref.load' works in L3, which programs do not address}}
  %v = memref.load %w[%zero] : memref<16xi8>
  func.return
}
