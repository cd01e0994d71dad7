// RUN: opt-tool %s -p attach-machine{target=host} | filecheck %s --check-prefix=HOST
// RUN: opt-tool %s -p 'attach-machine{target=host},attach-machine{target=host}' | filecheck %s --check-prefix=HOST
// RUN: opt-tool %s -p attach-machine{target=%S/../machines/two_level_8k.toml} | opt-tool - | filecheck %s --check-prefix=FILE

// The machine of a target, which takes the place of another one.
// HOST: builtin.module attributes {hier.machine = {name = "host"
// HOST-SAME: levels = {RAM = {size = 4294967296 : i64, alignment = 64 : i64}}
// HOST-SAME: engines = {core = {level = {ins = ["RAM"]}
// HOST-SAME: "*" = {cost = "per_point"

// That of a file, which includes another; its text can be read again.
// FILE: builtin.module attributes {hier.machine = {name = "two_level_8k"
// FILE-SAME: levels = {L1 = {size = 8192 : i64
// FILE-SAME: nn.conv = {cost = "per_mac"
// FILE-SAME: links = {dma = {far = "L2", near = "L1", width = 8 : i64
// FILE-SAME: clock = {mhz = [3.700000e+02 : f64]}

func.func @f() {
  func.return
}
