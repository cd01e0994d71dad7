// RUN: not opt-tool %s -p 'attach-machine{target=%S/../machines/two_level.toml},verify-levels' 2>&1 | filecheck %s --check-prefix FAR
// RUN: not opt-tool %s -p 'attach-machine{target=%S/../machines/three_level.toml},verify-levels' 2>&1 | filecheck %s --check-prefix NEAR
// RUN: not opt-tool %s -p verify-levels 2>&1 | filecheck %s --check-prefix NONE

// FAR: the network does not fit L2: 2,000 bytes short
// FAR-NEXT: expected:   16,777,216 bytes in all
// FAR-NEXT: found:      16,779,216 bytes for weights (16,777,196 bytes), x (2,000 bytes), arena (20 bytes)
// FAR-NEXT: remedy:     put L3 of 16,779,216 bytes behind L2, with a link to it: a machine file that includes 'two_level' and has [levels.L3] and [links.NAME]
// NEAR: the network does not fit L1: 4 bytes short
// NEAR: remedy: {{.*}} plan for the level as it is (plan-memory), or give L1 65,540 bytes
// NONE: the module has no machine

memref.global "private" @weights : memref<16777196xi8> = uninitialized
memref.global "private" @arena : memref<20xi8> = uninitialized
memref.global "private" @near : memref<65533xi8, "L1"> = uninitialized
memref.global "private" @more : memref<4xi8, "L1"> = uninitialized
func.func @network(%x: memref<2000xi8>) {
  func.return
}
