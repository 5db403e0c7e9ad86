// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DragPipe
import DropSystem
import DropTransport
import FoundationEssentials
import Glibc
import HeroCards

/// Probes of streams, files and sessions.
///
/// Both sides of a session are in one process.
enum TransportProbes {
  static let all = [cardWritten, cardRead, memory, itemHad, bytesAskedFor]

  private static let cardWritten = Probe("stream/card written") { count, _ in
    let cards = HeroFixtures.cards(20)
    return Probe.Work { burden in
      try await withReader { try await write(count, of: cards, to: $0, burden) }
    }
  }

  private static let cardRead = Probe("stream/card read") { count, most in
    let cards = HeroFixtures.cards(20)
    let workspace = try Workspace()
    defer { workspace.remove() }
    let file = try OwnedDescriptor.open(workspace.path + "/cards", O_RDWR | O_CREAT | O_EXCL, 0o600)
    let idle = Burden(0)
    try await write(count, of: cards, to: try SystemCalls.duplicate(file.raw), idle)
    let nowhere = try OwnedDescriptor.open("/dev/null", O_WRONLY)
    try await write(most - count, of: cards, to: nowhere.release(), idle)
    _ = try SystemCalls.seek(file.raw, 0, SEEK_SET)
    let input = file.release()
    return Probe.Work { burden in
      let decoded = try await DropStream.withReader(from: .descriptor(input)) { items in
        var decoded = 0
        for try await item in items {
          keep(try await item.value(as: Card.self))
          burden.carry()
          decoded += 1
        }
        return decoded
      }
      precondition(decoded == count)
    }
  }

  private static let memory = Probe("stream/64 KiB from memory", 128, 1152) { count, _ in
    let chunk = Data(repeating: 7, count: 1 << 20)
    return Probe.Work { burden in
      let item = ItemProvider(suggestedName: "memory")
      item.registerStream(.data) { _ in RepeatedChunks(chunk: chunk, left: count << 16) }
      for _ in 0..<count { burden.carry() }
      try await withReader { output in
        try await DropStream.withWriter(to: .descriptor(output)) { try await $0.write(item) }
      }
    }
  }

  private static let itemHad = Probe("file/item had", allowance: 3.5, burden: 5) { count, _ in
    let workspace = try Workspace()
    let path = workspace.path + "/items"
    try await FileSuite.write(100, Data(repeating: 7, count: 1000), to: path)
    let file = try await DropFile(path: path)
    return Probe.Work(
      run: { burden in
        for number in 0..<count {
          keep(try await file.item(at: number % 100).data(for: .data))
          burden.carry()
        }
      }, finish: { workspace.remove() })
  }

  private static let bytesAskedFor = Probe("session/100 bytes asked for", allowance: 1.5, burden: 4) { count, _ in
    Probe.Work { burden in
      let ends = try SystemCalls.socketPair()
      async let source: Void = DropStream.withSession(over: .descriptor(ends.0)) { session in
        let item = ItemProvider(suggestedName: "short")
        item.register(.data) { _ in Data(count: 100) }
        _ = try await session.offer([item])
      }
      try await DropStream.withSession(over: .descriptor(ends.1)) { session in
        for try await drop in session.drops {
          for _ in 0..<count {
            keep(try await drop.items[0].data(for: .data))
            burden.carry()
          }
          try await drop.finish(.copy)
        }
      }
      try await source
    }
  }

  private static func write(_ count: Int, of cards: [Card], to output: CInt, _ burden: Burden) async throws {
    try await DropStream.withWriter(to: .descriptor(output)) { writer in
      for number in 0..<count {
        try await writer.write(OwnRepresentation.provider(of: cards[number % cards.count]))
        burden.carry()
      }
    }
  }

  /// Passes `body` a pipe that another process reads to its end.
  ///
  /// A shell starts the reader and exits. The kernel adds the counts of a child to this process when it is waited for,
  /// so the reader must not be a child.
  private static func withReader(_ body: (CInt) async throws -> Void) async throws {
    let pipe = try SystemCalls.pipe()
    let reader: ChildProcess
    do {
      let input = OwnedDescriptor(pipe.read)
      let nowhere = try OwnedDescriptor.open("/dev/null", O_WRONLY)
      reader = try ChildProcess("/bin/sh", ["-c", "exec 3<&0; cat <&3 &"], input: input.raw, output: nowhere.raw)
    }
    guard await reader.waitForEnd().exitCode == 0 else { throw MeasurementFailure("no shell") }
    try await body(pipe.write)
  }
}
