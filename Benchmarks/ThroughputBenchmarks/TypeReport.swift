// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Glibc
import UniformTypes

/// Measures what the type registry takes, beside GLib's content types in the same process where that library is there.
///
/// GLib answers with MIME types and conforms by them; it reads the MIME database first, as this does only on demand.
struct TypeReport: Sendable {
  private struct Row {
    let label: String
    let nanoseconds: Double
    /// What GLib takes for the same.
    var peer: Double?
    let goal: Double
  }

  let repetitions: Int

  func print() async throws {
    let peer = GLibContentTypes()
    var rows: [Row] = []
    rows.append(
      Row(label: "first UTType(\"public.png\") of a process", nanoseconds: try await firstLookup(), goal: 500_000))
    rows += extensionRows(peer) + conformanceRows(peer)
    let directories = MIMEDatabase.systemDirectories(environment: ["HOME": "/nonexistent"])
    let hasDatabase = !MIMEDatabase(directories: directories).allTypes.isEmpty
    if hasDatabase {
      rows.append(
        Row(
          label: "reading the MIME database, magic included",
          nanoseconds: median { MIMEDatabase(directories: directories).magicExtent }, goal: 20_000_000))
      let text = Array(repeating: UInt8(ascii: "x"), count: 4096)
      rows.append(
        Row(
          label: "telling 4 KiB of text by name and content",
          nanoseconds: median(of: 1000) { _ in
            UTType.identify(content: text.span, named: "x.unknown").basis
          }, peer: peer.map { peer in median(of: 1000) { _ in peer.guess("x.unknown", text) } }, goal: 100_000))
    }
    Swift.print("uniform types, medians" + (peer == nil ? "; no GLib here to compare with" : ""))
    for row in rows {
      let ratio = row.peer.map { "GLib \(Self.text($0)), \(Self.ratio($0 / row.nanoseconds)) x" } ?? ""
      let verdict = row.nanoseconds <= row.goal ? "" : "  MISSED"
      Swift.print(
        "  \(Self.padded(row.label, 48)) \(Self.padded(Self.text(row.nanoseconds), 10)) "
          + "goal \(Self.padded(Self.text(row.goal), 10)) \(ratio)\(verdict)")
    }
    if !hasDatabase { Swift.print("  (no MIME database here)") }
  }

  // MARK: Cases

  private func extensionRows(_ peer: GLibContentTypes?) -> [Row] {
    let known = ["png", "txt", "mp4", "JPG", "gz", "swift", "yaml", "heic"]
    let names = known.map { "a.\($0)" }
    return [
      Row(
        label: "UTType(filenameExtension:), declared",
        nanoseconds: median(of: 100_000) { UTType(filenameExtension: known[$0 & 7])?.identifier.utf8.count },
        peer: peer.map { peer in median(of: 10_000) { peer.guess(names[$0 & 7], []) } }, goal: 100),
      Row(
        label: "UTType(mimeType:), declared",
        nanoseconds: median(of: 100_000) {
          UTType(mimeType: $0 & 1 == 0 ? "image/png" : "text/html")?.identifier.utf8.count
        },
        goal: 100),
      Row(
        label: "UTType(_:), declared",
        nanoseconds: median(of: 100_000) { UTType($0 & 1 == 0 ? "public.png" : "public.json")?.identifier.utf8.count },
        goal: 100),
      Row(
        label: "UTType(filenameExtension:), dynamic",
        nanoseconds: median(of: 10_000) { UTType(filenameExtension: $0 & 1 == 0 ? "saga" : "runes")?.isPublic },
        goal: 10_000),
    ]
  }

  private func conformanceRows(_ peer: GLibContentTypes?) -> [Row] {
    let own = UTType(exportedAs: "org.dragpipe.benchmark", conformingTo: .json)
    let (png, csv, swift) = (UTType.png, UTType.commaSeparatedText, UTType.swiftSource)
    let (image, text, data, archive) = (UTType.image, UTType.text, UTType.data, UTType.archive)
    let names = ["image/png", "text/html", "image/svg+xml", "text/csv"]
    let wanted = ["image/png", "text/plain", "application/octet-stream", "application/xml"]
    return [
      Row(
        label: "conforms(to:), the system's types",
        nanoseconds: medianOfAnswers(4) { _ in
          png.conforms(to: image) && csv.conforms(to: text) && swift.conforms(to: data) && !png.conforms(to: archive)
        },
        peer: peer.map { peer in medianOfAnswers { peer.isA(names[$0 & 3], wanted[$0 >> 2 & 3]) } }, goal: 20),
      Row(
        label: "conforms(to:), a type declared here",
        nanoseconds: medianOfAnswers(4) { _ in
          own.conforms(to: .json) && own.conforms(to: text) && own.conforms(to: data) && !own.conforms(to: archive)
        }, goal: 20),
    ]
  }

  /// In processes that do nothing else.
  private func firstLookup() async throws -> Double {
    var found: [Double] = []
    for _ in 0..<max(5, repetitions * 4) {
      let processes = TwoProcesses(source: .typeSource, sink: .typeSink, heroCount: 1, path: "")
      found.append(Double(try await processes.run().count))
    }
    return found.sorted()[found.count / 2]
  }

  /// What the process with the role `typeSink` prints.
  static func nanosecondsOfFirstLookup() -> Int64 {
    let clock = ContinuousClock()
    let start = clock.now
    let found = UTType("public.png")
    let duration = clock.now - start
    precondition(found == .png)
    return duration.components.attoseconds / 1_000_000_000
  }

  // MARK: Measuring

  private func median<Value>(of count: Int = 1, _ body: (Int) -> Value) -> Double {
    var found: [Double] = []
    for _ in 0...max(5, repetitions) {
      let duration = ContinuousClock().measure { for index in 0..<count { keep(body(index)) } }
      found.append(duration / .nanoseconds(1) / Double(count))
    }
    return found.sorted()[found.count / 2]
  }

  /// For what takes so little that keeping each answer apart would take as much.
  private func medianOfAnswers(_ answers: Int = 1, _ body: (Int) -> Bool) -> Double {
    median(of: 1) { _ in (0..<100_000).count(where: body) } / 100_000 / Double(answers)
  }

  private func median<Value>(_ body: () -> Value) -> Double {
    median(of: 1) { _ in body() }
  }

  private static func text(_ nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1000: "\((nanoseconds * 10).rounded() / 10) ns"
    case ..<1_000_000: "\((nanoseconds / 100).rounded() / 10) µs"
    default: "\((nanoseconds / 100_000).rounded() / 10) ms"
    }
  }

  private static func ratio(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}

/// Keeps the optimizer from dropping what made the value.
@inline(never) private func keep<Value>(_ value: Value) {
  withExtendedLifetime(value) {}
}
