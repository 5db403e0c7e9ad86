// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import FoundationEssentials
import HeroCards

/// The work of a case, for Python packages.
struct PythonWork: Sendable {
  enum Values: String, Sendable {
    case heroes
    case cards
    case doubles
    case integers
  }

  enum Direction: String, Sendable {
    case encode
    case decode
  }

  let values: Values
  let direction: Direction
  /// The number of messages, each with one value; `nil` for a single message with all values.
  var messageCount: Int?
}

/// Packages of a Python interpreter.
///
/// Each is measured in its own process, with the same values as plain objects.
struct PythonPeers: Sendable {
  private static let known = ["orjson", "cbor2", "msgpack"]

  private let interpreter: String
  private let packages: [String]
  private let workspace: Workspace

  var contenders: [Contender] { packages.map { Contender("Python \($0)", .peer) } }
  /// The packages that the interpreter lacks.
  var missing: [String] { Self.known.filter { !packages.contains($0) } }

  /// Finds the packages that an interpreter can import.
  ///
  /// - Throws: An error if the interpreter cannot be run.
  init(_ interpreter: String, workspace: Workspace) async throws {
    self.interpreter = interpreter
    self.workspace = workspace
    // Imports each package, since a package that is installed may still fail to load.
    let script = """
      import importlib, sys
      for name in sys.argv[1:]:
          try:
              importlib.import_module(name)
              print(name)
          except Exception:
              pass
      """
    let found = try await OwnProcess.output(of: interpreter, ["-I", "-c", script] + Self.known)
    packages = String(decoding: found, as: UTF8.self).split { $0.isWhitespace }.map(String.init)
  }

  func samples(_ work: PythonWork, _ workload: Workload, rounds: Int) async throws -> [Sample] {
    let path = try await values(work.values, workload)
    var samples: [Sample] = []
    for package in packages {
      let arguments = [package, work.direction.rawValue, "\(work.messageCount ?? 0)", "\(rounds)", path]
      let output = try await OwnProcess.output(of: interpreter, ["-I", "-c", Self.script] + arguments)
      let seconds = String(decoding: output, as: UTF8.self).split { $0.isWhitespace }.compactMap { Double($0) }
      samples.append(Sample(seconds: seconds))
    }
    return samples
  }

  /// Returns the path of a file with the values as JSON.
  private func values(_ values: PythonWork.Values, _ workload: Workload) async throws -> String {
    try await workspace.file("\(values.rawValue).json") { path in
      let encoder = JSONEncoder()
      let data =
        switch values {
        case .heroes: try encoder.encode(HeroFixtures.heroes(workload.heroCount).map(PlainHero.init))
        case .cards: try encoder.encode(HeroFixtures.cards(workload.cardCount).map(PlainCard.init))
        case .doubles: try encoder.encode(NumberFixtures.doubles(workload.numberCount))
        case .integers: try encoder.encode(NumberFixtures.integers(workload.numberCount))
        }
      try data.write(to: URL(fileURLWithPath: path))
    }
  }

  private static let script = """
    import importlib, json, sys, time
    name, direction, messages, rounds, path = sys.argv[1:]
    module = importlib.import_module(name)
    encode = module.packb if name == "msgpack" else module.dumps
    decode = module.unpackb if name == "msgpack" else module.loads
    values = json.load(open(path))
    values = values[:int(messages)] if int(messages) else [values]
    call, work = (encode, values) if direction == "encode" else (decode, [encode(value) for value in values])
    for turn in range(int(rounds) + 1):
        start = time.perf_counter()
        for item in work:
            call(item)
        if turn:
            print(time.perf_counter() - start)
    """
}
