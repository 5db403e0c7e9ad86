// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import UniformTypes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The type registry, beside GLib's content types in the same process where that library is there, and a dictionary.
///
/// GLib answers with MIME types and conforms by them; it reads the MIME database first, as this does only on demand.
struct RegistrySuite: Sendable {
  private static let ours = Contender("UTType", .ours)
  private static let glib = Contender("GLib content types", .peer)
  private static let dictionary = Contender("dictionary", .peer)
  private static let lookups = 100_000

  let workload: Workload

  var cases: [LocalCase] { [extensions, mimeTypes, identifiers, dynamic] + conformance + database }

  // MARK: Look-ups

  private var extensions: LocalCase {
    let known = ["png", "txt", "mp4", "JPG", "gz", "swift", "yaml", "heic"]
    let types = [
      "png": "public.png", "txt": "public.plain-text", "mp4": "public.mpeg-4", "jpg": "public.jpeg",
      "gz": "org.gnu.gnu-zip-archive", "swift": "public.swift-source", "yaml": "public.yaml", "heic": "public.heic",
    ]
    let peer = GLibContentTypes.shared
    return lookup(
      "by filename extension", glib: peer != nil, goal: 100e-9,
      { UTType(filenameExtension: known[$0 & 7])?.identifier.utf8.count },
      { types[known[$0 & 7].lowercased()]?.utf8.count },
      { peer?.guess("a.\(known[$0 & 7])", []) })
  }

  private var mimeTypes: LocalCase {
    let types = ["image/png": "public.png", "text/html": "public.html"]
    return lookup(
      "by MIME type", goal: 100e-9,
      { UTType(mimeType: $0 & 1 == 0 ? "image/png" : "text/html")?.identifier.utf8.count },
      { types[$0 & 1 == 0 ? "image/png" : "text/html"]?.utf8.count })
  }

  private var identifiers: LocalCase {
    let types = ["public.png": 1, "public.json": 2]
    return lookup(
      "by identifier", goal: 100e-9, { UTType($0 & 1 == 0 ? "public.png" : "public.json")?.identifier.utf8.count },
      { types[$0 & 1 == 0 ? "public.png" : "public.json"] })
  }

  private var dynamic: LocalCase {
    let peer = GLibContentTypes.shared
    return lookup(
      "by an extension nobody declares", glib: peer != nil, goal: 10e-6,
      { UTType(filenameExtension: $0 & 1 == 0 ? "saga" : "runes")?.isPublic == true ? 1 : 0 }, nil,
      { peer?.guess($0 & 1 == 0 ? "a.saga" : "a.runes", []) })
  }

  private func lookup(
    _ name: String, glib: Bool = false, goal: Double, _ own: @escaping @Sendable (Int) -> Int?,
    _ limit: (@Sendable (Int) -> Int?)?, _ peer: @escaping @Sendable (Int) -> Bool? = { _ in nil }
  ) -> LocalCase {
    let contenders = [Self.ours] + (glib ? [Self.glib] : []) + (limit == nil ? [] : [Self.dictionary])
    return LocalCase(
      suite: .registry, name: name, unit: .items, amount: Self.lookups, contenders: contenders, goals: [.seconds(goal)]
    ) {
      var rounds: [() async throws -> Void] = [{ for index in 0..<Self.lookups { keep(own(index)) } }]
      if glib { rounds.append { for index in 0..<Self.lookups { keep(peer(index)) } } }
      if let limit { rounds.append { for index in 0..<Self.lookups { keep(limit(index)) } } }
      return LocalCase.Work(rounds: rounds)
    }
  }

  // MARK: Conformance

  private var conformance: [LocalCase] {
    let names = ["image/png", "text/html", "image/svg+xml", "text/csv"]
    let wanted = ["image/png", "text/plain", "application/octet-stream", "application/xml"]
    let peer = GLibContentTypes.shared
    let isA: @Sendable (Int) -> Bool = { peer?.isA(names[$0 & 3], wanted[$0 >> 2 & 3]) ?? false }
    return [
      conforming("conforms, the system's types", peer == nil ? nil : isA) {
        let (png, csv, swift) = (UTType.png, UTType.commaSeparatedText, UTType.swiftSource)
        let (image, text, data, archive) = (UTType.image, UTType.text, UTType.data, UTType.archive)
        return (0..<Self.lookups / 4).count { _ in
          png.conforms(to: image) && csv.conforms(to: text) && swift.conforms(to: data) && !png.conforms(to: archive)
        }
      },
      conforming("conforms, a type declared here", nil) {
        let own = UTType(exportedAs: "org.dragpipe.benchmark", conformingTo: .json)
        let (json, text, data, archive) = (UTType.json, UTType.text, UTType.data, UTType.archive)
        return (0..<Self.lookups / 4).count { _ in
          own.conforms(to: json) && own.conforms(to: text) && own.conforms(to: data) && !own.conforms(to: archive)
        }
      },
    ]
  }

  private func conforming(
    _ name: String, _ peer: (@Sendable (Int) -> Bool)?, _ own: @escaping @Sendable () -> Int
  ) -> LocalCase {
    LocalCase(
      suite: .registry, name: name, unit: .items, amount: Self.lookups,
      contenders: [Self.ours] + (peer == nil ? [] : [Self.glib]), goals: [.seconds(20e-9), .allocations(0.001)]
    ) {
      var rounds: [() async throws -> Void] = [{ keep(own()) }]
      if let peer { rounds.append { keep((0..<Self.lookups).count(where: peer)) } }
      return LocalCase.Work(rounds: rounds)
    }
  }

  // MARK: The MIME database

  private static func readFiles(in directory: String) {
    for name in ["globs2", "magic", "subclasses", "aliases", "XMLnamespaces"] {
      keep(try? Data(contentsOf: URL(fileURLWithPath: directory + "/" + name)))
    }
  }

  private var database: [LocalCase] {
    let directories = MIMEDatabase.systemDirectories(environment: ["HOME": "/nonexistent"])
    guard !MIMEDatabase(directories: directories).allTypes.isEmpty else { return [] }
    let text = Array(repeating: UInt8(ascii: "x"), count: 4096)
    let peer = GLibContentTypes.shared
    return [
      LocalCase(
        suite: .registry, name: "reading the MIME database", unit: .items, amount: 1,
        contenders: [Contender("MIMEDatabase", .ours), Contender("reading its files", .limit)], goals: [.seconds(20e-3)]
      ) {
        LocalCase.Work(rounds: [
          { keep(MIMEDatabase(directories: directories).magicExtent) },
          { for directory in directories { Self.readFiles(in: directory) } },
        ])
      },
      LocalCase(
        suite: .registry, name: "4 KiB of text by name and content", unit: .items, amount: 200,
        contenders: [Self.ours] + (peer == nil ? [] : [Self.glib]), goals: [.seconds(100e-6)]
      ) {
        var rounds: [() async throws -> Void] = [
          { for _ in 0..<200 { keep(UTType.identify(content: text.span, named: "x.unknown").basis) } }
        ]
        if let peer { rounds.append { for _ in 0..<200 { keep(peer.guess("x.unknown", text)) } } }
        return LocalCase.Work(rounds: rounds)
      },
    ]
  }
}
