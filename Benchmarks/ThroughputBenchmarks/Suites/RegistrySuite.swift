// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import FoundationEssentials
import UniformTypes

/// The type registry, compared with the content types of GLib, if installed, and with a plain dictionary.
///
/// GLib returns MIME types and compares them. It loads the MIME database first; this package loads it only if needed.
struct RegistrySuite: Sendable {
  /// A contender, and a closure that does the lookup with a given number.
  ///
  /// All contenders do the same lookups.
  private struct Side: Sendable {
    let contender: Contender
    let prepare: @Sendable () -> (Int) -> Int?

    init(_ contender: Contender, _ prepare: @escaping @Sendable () -> (Int) -> Int?) {
      self.contender = contender
      self.prepare = prepare
    }

    static func glib(_ prepare: @escaping @Sendable (GLibContentTypes) -> (Int) -> Bool) -> [Side] {
      guard let library = GLibContentTypes.shared else { return [] }
      return [
        Side(RegistrySuite.glib) {
          let answer = prepare(library)
          return { answer($0) ? 1 : 0 }
        }
      ]
    }
  }

  private static let ours = Contender("UTType", .ours)
  private static let glib = Contender("GLib content types", .peer)
  private static let dictionary = Contender("dictionary", .peer)
  private static let lowercased = Contender("dictionary, lowercased", .peer)
  static let lookups = 100_000

  let workload: Workload

  var cases: [LocalCase] { [extensions, mimeTypes, identifiers, dynamic] + conformance + database }

  private static func asking(_ name: String, goals: [Goal] = [], _ sides: [Side]) -> LocalCase {
    LocalCase(
      suite: .registry, name: name, unit: .items, amount: lookups, contenders: sides.map(\.contender), goals: goals
    ) {
      LocalCase.Work(
        rounds: sides.map { side in
          let answer = side.prepare()
          return { for number in 0..<lookups { keep(answer(number)) } }
        })
    }
  }

  // MARK: Look-ups

  private var extensions: LocalCase {
    let known = ["png", "txt", "mp4", "JPG", "gz", "swift", "yaml", "heic"]
    let types = [
      "png": "public.png", "txt": "public.plain-text", "mp4": "public.mpeg-4", "jpg": "public.jpeg",
      "gz": "org.gnu.gnu-zip-archive", "swift": "public.swift-source", "yaml": "public.yaml", "heic": "public.heic",
    ]
    return Self.asking(
      "by filename extension", goals: [.seconds(100e-9)],
      [Side(Self.ours) { { UTType(filenameExtension: known[$0 & 7])?.identifier.utf8.count } }]
        + Side.glib { library in
          let names = known.map { CText("a.\($0)") }
          return { library.guess(names[$0 & 7], []) }
        } + [Side(Self.lowercased) { { types[known[$0 & 7].lowercased()]?.utf8.count } }])
  }

  private var mimeTypes: LocalCase {
    let types = ["image/png": "public.png", "text/html": "public.html"]
    return Self.asking(
      "by MIME type", goals: [.seconds(100e-9)],
      [
        Side(Self.ours) { { UTType(mimeType: $0 & 1 == 0 ? "image/png" : "text/html")?.identifier.utf8.count } },
        Side(Self.dictionary) { { types[$0 & 1 == 0 ? "image/png" : "text/html"]?.utf8.count } },
      ])
  }

  private var identifiers: LocalCase {
    let types = ["public.png": "PNG", "public.json": "JSON"]
    return Self.asking(
      "by identifier", goals: [.seconds(100e-9)],
      [
        Side(Self.ours) { { UTType($0 & 1 == 0 ? "public.png" : "public.json")?.identifier.utf8.count } },
        Side(Self.dictionary) { { types[$0 & 1 == 0 ? "public.png" : "public.json"]?.utf8.count } },
      ])
  }

  private var dynamic: LocalCase {
    Self.asking(
      "by an undeclared extension", goals: [.seconds(10e-6)],
      [Side(Self.ours) { { UTType(filenameExtension: $0 & 1 == 0 ? "saga" : "runes")?.isPublic == true ? 1 : 0 } }]
        + Side.glib { library in
          let names = ["a.saga", "a.runes"].map(CText.init)
          return { library.guess(names[$0 & 1], []) }
        })
  }

  /// Returns the case that looks up and compares declared types, each of which has an extension of its own.
  static func amongDeclared(_ count: Int) -> LocalCase {
    let names = (0..<count).map { "scale\($0)" }
    let asked = (0..<1024).map { names[$0 * 7919 % count] }
    return asking(
      "many declared types",
      [
        Side(ours) {
          let refused = TypeRegistry.shared.declare(
            names.map {
              TypeDeclaration("org.dragpipe.\($0)", conformsTo: ["public.json"], tags: [.filenameExtension: [$0]])
            })
          precondition(refused.isEmpty)
          return { UTType(filenameExtension: asked[$0 & 1023])?.conforms(to: .text) == true ? 1 : nil }
        },
        Side(lowercased) {
          let text: Set = ["public.json", "public.text", "public.data"]
          let types = Dictionary(uniqueKeysWithValues: names.map { ($0, text) })
          return { types[asked[$0 & 1023].lowercased()]?.contains("public.text") == true ? 1 : nil }
        },
      ])
  }

  // MARK: Conformance

  /// The cases that test whether each type conforms to each of four other types.
  private var conformance: [LocalCase] {
    let goals: [Goal] = [.seconds(20e-9), .allocations(0.001)]
    let types = [UTType.png, .html, .svg, .commaSeparatedText]
    let wanted = [UTType.image, .text, .data, .xml]
    let own = [UTType(exportedAs: "org.dragpipe.benchmark", conformingTo: .json)]
    let ownWanted = [UTType.json, .text, .data, .archive]
    return [
      Self.asking(
        "conforms, the system's types", goals: goals,
        [Self.conforming(types, to: wanted)]
          + Side.glib { library in
            let types = ["image/png", "text/html", "image/svg+xml", "text/csv"].map(CText.init)
            let wanted = ["image/*", "text/plain", "application/octet-stream", "application/xml"].map(CText.init)
            return { library.isA(types[$0 & 3], wanted[$0 >> 2 & 3]) }
          } + [Self.containing(types, wanted)]),
      Self.asking(
        "conforms, a type declared here", goals: goals,
        [Self.conforming(own, to: ownWanted), Self.containing(own, ownWanted)]),
    ]
  }

  private static func conforming(_ types: [UTType], to wanted: [UTType]) -> Side {
    let mask = types.count - 1
    return Side(ours) { { types[$0 & mask].conforms(to: wanted[$0 >> 2 & 3]) ? 1 : 0 } }
  }

  /// Returns a contender that stores the supertypes of all tested types in advance.
  private static func containing(_ types: [UTType], _ wanted: [UTType]) -> Side {
    let mask = types.count - 1
    return Side(Contender("sets in a dictionary", .peer)) {
      let sets = Dictionary(
        uniqueKeysWithValues: types.map { ($0.identifier, Set($0.supertypes.map(\.identifier) + [$0.identifier])) })
      let (names, wantedNames) = (types.map(\.identifier), wanted.map(\.identifier))
      return { sets[names[$0 & mask]]?.contains(wantedNames[$0 >> 2 & 3]) == true ? 1 : 0 }
    }
  }

  // MARK: The MIME database

  private var database: [LocalCase] {
    let directories = MIMEDatabase.systemDirectories(environment: { $0 == "HOME" ? "/nonexistent" : nil })
    guard MIMEDatabase(directories: directories).magicExtent > 0 else { return [] }
    let text = Array(repeating: UInt8(ascii: "x"), count: 4096)
    let peer = GLibContentTypes.shared
    return [
      LocalCase(
        suite: .registry, name: "reading the MIME database", unit: .items, amount: 1,
        contenders: [Contender("MIMEDatabase", .ours), Contender("reading its file", .limit)], goals: [.seconds(20e-3)]
      ) {
        LocalCase.Work(rounds: [
          { keep(MIMEDatabase(directories: directories).magicExtent) },
          { for each in directories { keep(try? Data(contentsOf: URL(fileURLWithPath: each + "/mime.cache"))) } },
        ])
      },
      LocalCase(
        suite: .registry, name: "4 KiB of text by name and content", unit: .items, amount: 200,
        contenders: [Self.ours] + (peer == nil ? [] : [Self.glib]), goals: [.seconds(100e-6)]
      ) {
        var rounds: [() async throws -> Void] = [
          { for _ in 0..<200 { keep(UTType.identify(content: text.span, named: "x.unknown").basis) } }
        ]
        if let peer {
          let name = CText("x.unknown")
          rounds.append { for _ in 0..<200 { keep(peer.guess(name, text)) } }
        }
        return LocalCase.Work(rounds: rounds)
      },
    ]
  }
}
