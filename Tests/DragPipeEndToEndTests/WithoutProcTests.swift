// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// Whether this user may have an empty directory in the place of `/proc`.
private let canHideProc: Bool = {
  let process = Process()
  process.executableURL = URL(fileURLWithPath: "/bin/sh")
  process.arguments = ["-c", "unshare -m sh -c 'mount -t tmpfs none /proc' > /dev/null 2>&1"]
  guard (try? process.run()) != nil else { return false }
  process.waitUntilExit()
  return process.terminationStatus == 0
}()

/// Every command where `/proc` is not mounted: libdispatch would end the process by an illegal instruction.
@Suite(.serialized, .limited, .enabled(if: canHideProc, "needs the permission to mount")) struct WithoutProcTests {
  @Test func everyCommandEndsWithOneLine() async throws {
    try await withShell { shell in
      try shell.write(Data("Hail".utf8), to: "a.txt")
      try shell.write(
        Data(
          """
          for command in 'send a.txt' 'send --to a.drop a.txt' 'send --to unix:s a.txt' 'send --to exec:cat a.txt' \
            'receive in/' 'receive --from unix:s in/' 'receive --from exec:cat in/' 'inspect a.drop' \
            'extract a.drop 1 .txt' 'types of a.txt' 'types info .png' demo 'demo --large' man --version nothing; do
            echo x | "$TOOL" $command > out 2>> errors; echo $?
          done | sort | uniq -c | tr -s ' '; sort -u errors; ls out in s 2> /dev/null
          """.utf8), to: "script")
      let result = try await shell.run(
        "export TOOL; unshare -m bash -c 'mount -t tmpfs none /proc && exec bash script'")
      #expect(
        result.output == """
           16 74
          dragpipe: /proc does not show this process; it must be mounted, because Swift's tasks need it
          out

          """, "\(result.errors)")
    }
  }
}
