// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

/// The compiler's messages for code outside this package.
@Suite(.serialized, .limited, .enabled(if: installedProgram("swiftc") != nil), .timeLimit(.minutes(5)))
struct AppleCompilationTests {
  /// The directory of the built modules and of this test program.
  private static let products = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    .deletingLastPathComponent()

  /// Returns the compiler's messages for a file in Swift 6 mode.
  private func messages(_ source: String) async throws -> String {
    let directory = try TemporaryDirectory()
    defer { directory.remove() }
    let file = try directory.write(Data(source.utf8), to: "client.swift")
    let output = try directory.write(Data(), to: "messages")
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: try #require(installedProgram("swiftc")))
    compiler.arguments = [
      "-typecheck", "-swift-version", "6", "-I", Self.products.appendingPathComponent("Modules").path, "-Xcc",
      "-fmodule-map-file=\(Self.products.appendingPathComponent("CDropShims.build/module.modulemap").path)", file.path,
    ]
    compiler.standardError = try FileHandle(forWritingTo: output)
    try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
      compiler.terminationHandler = { _ in continuation.resume() }
      do { try compiler.run() } catch { continuation.resume(throwing: error) }
    }
    return try String(contentsOf: output, encoding: .utf8)
  }

  @Test func aPropertyThatIsNotSendableIsAWarning() async throws {
    let messages = try await messages(
      """
      import CoreTransferable

      final class Cache: Codable { var count = 0 }

      struct Saga: Codable, Transferable {
        var cache = Cache()
        static var transferRepresentation: some TransferRepresentation { CodableRepresentation(contentType: .json) }
      }
      """)
    #expect(messages.contains("warning: stored property 'cache'"), "\(messages)")
    #expect(!messages.contains("error:"), "\(messages)")
  }
}
