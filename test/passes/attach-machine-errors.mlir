// RUN: not opt-tool %s -p attach-machine 2>&1 | filecheck %s --check-prefix=NONE
// RUN: not opt-tool %s -p attach-machine{target=hots} 2>&1 | filecheck %s --check-prefix=NAME
// RUN: not opt-tool %s -p attach-machine{target=%S/absent.toml} 2>&1 | filecheck %s --check-prefix=ABSENT
// RUN: echo '[levels.L1]' > %t.toml
// RUN: echo 'size = "big"' >> %t.toml
// RUN: not opt-tool %s -p attach-machine{target=%t.toml} 2>&1 | filecheck %s --check-prefix=FAULTS

// NONE: 'attach-machine' needs the option 'target'
// NAME: error: [attach-machine, pass 1 of 1] there is no machine 'hots'
// NAME: did you mean 'host'?
// ABSENT: absent.toml: error: [attach-machine, pass 1 of 1] the machine's file cannot be read: No such file
// FAULTS: .toml: error: [attach-machine, pass 1 of 1] the machine's description has 2 faults
// FAULTS-NEXT: note: levels.L1.size: expected a size such as "64KiB" or a positive number of bytes, found "big"
// FAULTS-NEXT: note: engines: expected at least one table [engines.NAME], found nothing

func.func @f() {
  func.return
}
