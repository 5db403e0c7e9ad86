// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import BenchmarkKit
import FoundationEssentials
import Glibc

/// The tool in a shell, compared with other programs that do the same work.
struct ToolSuite: Sendable {
  /// A contender and its script.
  ///
  /// `$1` is the source, `$2` an empty directory, `$3` the tool, `$4` Python.
  private struct Side: Sendable {
    let contender: Contender
    let script: String

    init(_ name: String, _ kind: Contender.Kind, _ script: String) {
      contender = Contender(name, kind)
      self.script = script
    }
  }

  /// Checks that a program has written the source at `path` correctly to `directory`.
  private typealias Check = @Sendable (_ path: String, _ directory: String, Side, Benchmark.Purpose) throws -> Void

  let workload: Workload
  let workspace: Workspace
  /// The path of the tool.
  let tool: String
  /// The path of Python's interpreter, or `nil` if it is not installed.
  let python: String?
  /// The place of the files, in names of cases.
  var place = ""

  private static let smallLength = 4096
  private static let folderName = "folder"
  private static let programs = ["cp", "dd", "pv", "python3", "socat", "sqlite3", "tar", "unzip", "zip"]

  /// The path of the tool that was built with this program, or `nil` if it was not built.
  static var builtTool: String? {
    guard let own = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") else { return nil }
    let path = URL(fileURLWithPath: own).deletingLastPathComponent().appendingPathComponent("dragpipe").path
    return access(path, X_OK) == 0 ? path : nil
  }

  /// The path of the distribution's interpreter, or `nil` if it is not installed.
  ///
  /// The command `python3` may be a script for another interpreter, which may import packages at each start.
  static var installedPython: String? {
    let path = "/usr/bin/python3"
    return InstalledPrograms.has("python3") && access(path, X_OK) == 0 ? path : nil
  }

  /// The programs that are not installed.
  ///
  /// They are left out of all cases.
  static var missing: [String] { programs.filter { !InstalledPrograms.has($0) } }

  var benchmarks: [Benchmark] {
    let other = Self.builtTool.flatMap { $0 == tool ? nil : $0 }
    let built = other.map { [startUp("start-up of the tool built here", of: $0)] } ?? []
    let inMemory = workspace.inMemory.map {
      ToolSuite(workload: workload, workspace: $0, tool: tool, python: python, place: " in memory")
    }
    return [startUp("start-up", of: tool)] + built + files + (inMemory?.files ?? []) + manyFiles + [heroes, oneOfMany]
  }

  private var files: [Benchmark] { [oneFile, socket, intoDropFile, outOfDropFile] }

  // MARK: Cases

  /// Returns the case of several starts in a row.
  ///
  /// A single start would mostly measure whether the system still has the program in its memory.
  private func startUp(_ name: String, of tool: String) -> Benchmark {
    let count = 10
    func side(_ name: String, _ kind: Contender.Kind, _ start: String) -> Side {
      Side(name, kind, "i=0; while [ $i -lt \(count) ]; do \(start); i=$((i + 1)); done")
    }
    return benchmark(
      name, .items, count, tool: tool,
      [
        side("dragpipe --version", .ours, "\"$3\" --version > /dev/null || exit"),
        side("cat </dev/null", .peer, "cat < /dev/null"),
      ] + with(["tar"], side("tar --version", .peer, "tar --version > /dev/null"))
        + withPython(side("python3 -I -c pass", .peer, "\"$4\" -I -c pass"))
    ) { "" }
  }

  private var oneFile: Benchmark {
    let tar = "tar cf - -C \"${1%/*}\" \"${1##*/}\" | tar xf - -C \"$2\""
    let dd = "dd bs=64k status=none < \"$1\" | dd bs=64k status=none > \"$2/copy\""
    return benchmark(
      "one file\(place)", .bytes, workload.byteCount,
      [
        Side("send | receive, verified", .ours, "\"$3\" send \"$1\" | \"$3\" receive -q \"$2\""),
        Side("cat | cat", .peer, Self.cat),
      ] + with(["tar"], Side("tar | tar", .peer, tar)) + with(["dd"], Side("dd | dd, 64 KiB", .peer, dd))
        + with(["pv"], Side("pv | cat", .peer, "pv -q < \"$1\" | cat > \"$2/copy\"")), check: copies
    ) { try await workspace.source(workload.byteCount) }
  }

  /// The same files as one folder, and each as an item.
  private var manyFiles: [Benchmark] {
    let count = workload.archivedItemCount
    let files = "\(Figures.count(Double(count))) files"
    func copying(_ name: String, _ names: String, in parent: String, to place: String) -> Benchmark {
      let ours = "cd \"\(parent)\" && \"$3\" send \(names) | \"$3\" receive -q \"$2\""
      let tar = "cd \"\(parent)\" && tar cf - \(names) | tar xf - -C \"$2\""
      let cp = "cd \"\(parent)\" && cp -R \(names) \"$2\""
      return benchmark(
        name, .items, count,
        [Side("send | receive, verified", .ours, ours)] + with(["tar"], Side("tar | tar", .peer, tar))
          + with(["cp"], Side("cp", .peer, cp)), bytesPerItem: Self.smallLength,
        check: { try copies($0, $1 + place, $2, $3) }, source: folder)
    }
    return [
      copying("a folder of \(files)", "\"${1##*/}\"", in: "${1%/*}", to: "/\(Self.folderName)"),
      copying("\(files), each an item", "*", in: "$1", to: ""),
    ]
  }

  private var socket: Benchmark {
    let ours = Self.listening(
      "\"$3\" send -q --once --to unix:s \"$1\"", then: "\"$3\" receive -q --from unix:s -o \"$2/copy\"")
    let socat = Self.listening(
      "socat -u -b 65536 UNIX-LISTEN:s CREATE:\"$2/copy\"",
      then: "socat -u -b 65536 OPEN:\"$1\",rdonly UNIX-CONNECT:s")
    return benchmark(
      "one file\(place) through a Unix socket", .bytes, workload.byteCount,
      [Side("send | receive, verified", .ours, ours)] + with(["socat"], Side("socat | socat", .peer, socat))
        + [Side("cat | cat, a pipe", .peer, Self.cat)], check: copies
    ) { try await workspace.source(workload.byteCount) }
  }

  private var intoDropFile: Benchmark {
    benchmark(
      "one file\(place) into a drop file", .bytes, workload.byteCount,
      [Side("send --to, verified", .ours, "\"$3\" send --to \"$2/copy.drop\" \"$1\"")]
        + with(["cp"], Side("cp", .peer, Self.cp))
    ) { try await workspace.source(workload.byteCount) }
  }

  private var outOfDropFile: Benchmark {
    let sides =
      [
        Side("extract, verified", .ours, "\"$3\" extract -o \"$2/copy\" \"$1.drop\" 1 public.data"),
        Side("receive --from, verified", .ours, "\"$3\" receive -q --from \"$1.drop\" \"$2\""),
      ] + with(["cp"], Side("cp", .peer, Self.cp))
    return benchmark(
      "one file\(place) out of a drop file", .bytes, workload.byteCount, sides, check: copies
    ) {
      let source = try await workspace.source(workload.byteCount)
      _ = try await workspace.file("source.drop") { path in
        _ = try await OwnProcess.output(of: tool, ["send", "--to", path, source])
      }
      return source
    }
  }

  private static let cp = "cp \"$1\" \"$2/copy\""
  private static let cat = "cat < \"$1\" | cat > \"$2/copy\""

  /// Returns a script that starts a listener at the socket `s` in the directory, then a client once the socket exists.
  ///
  /// The path is short enough for a socket address. If the listener fails, the script fails without starting the
  /// client.
  static func listening(_ listener: String, then client: String) -> String {
    """
    cd "$2" || exit 1
    \(listener) &
    listener=$!
    looks=0
    while [ ! -S s ]; do
      looks=$((looks + 1))
      if [ $looks -gt 2000 ] || ! kill -0 $listener 2> /dev/null; then
        kill $listener 2> /dev/null
        exit 1
      fi
      sleep 0.001
    done
    if ! \(client); then
      kill $listener 2> /dev/null
      exit 1
    fi
    wait $listener
    """
  }

  private var heroes: Benchmark {
    let write = "import json, sys\nfor hero in json.load(open(sys.argv[1])): print(json.dumps(hero))"
    let read = "import json, sys\njson.dump([json.loads(line) for line in sys.stdin], open(sys.argv[1], \"w\"))"
    return benchmark(
      "heroes into a file", .items, workload.heroCount,
      [
        Side(
          "send | receive --into", .ours,
          "\"$3\" send --as hero \"$1\" | \"$3\" receive -q --as hero --into \"$2/copy\"")
      ]
        + withPython(
          Side(
            "Python's json, both sides", .peer,
            "\"$4\" -I -c '\(write)' \"$1\" | \"$4\" -I -c '\(read)' \"$2/copy\"")), check: Self.expectHeroes
    ) { try await heroFile() }
  }

  private var oneOfMany: Benchmark {
    let count = workload.archivedItemCount
    let name = "\(count - 1)"
    let query = "select writefile('copy', content) from files where name = '\(name)'"
    let sides =
      [Side("extract, verified", .ours, "\"$3\" extract \"$1.drop\" \(name) public.data -o - > \"$2/copy\"")]
      + with(["tar"], Side("tar -xO", .peer, "tar -xOf \"$1.tar\" \(name) > \"$2/copy\""))
      + with(["zip", "unzip"], Side("unzip -p, verified", .peer, "unzip -p \"$1.zip\" \(name) > \"$2/copy\""))
      + with(["sqlite3"], Side("sqlite3", .peer, "cd \"$2\" && sqlite3 \"$1.sqlite\" \"\(query)\" > /dev/null"))
    let check: Check = { path, directory, side, purpose in
      try CopyCheck(of: "\(path)/\(name)", by: side.contender.name).expectCopy(in: directory, purpose)
    }
    return benchmark(
      "one file out of \(Figures.count(Double(count)))", .items, 1, sides,
      check: check
    ) { try await archives() }
  }

  private func with(_ programs: [String], _ side: Side) -> [Side] {
    programs.allSatisfy(InstalledPrograms.has) ? [side] : []
  }

  private func withPython(_ side: Side) -> [Side] { python == nil ? [] : [side] }

  // MARK: Shared by all cases

  /// Returns a case whose contenders get the same source and an empty directory each.
  private func benchmark(
    _ name: String, _ unit: WorkUnit, _ amount: Int, tool: String? = nil, _ sides: [Side], bytesPerItem: Int? = nil,
    check: @escaping Check = { _, _, _, _ in },
    source: @escaping @Sendable () async throws -> String
  ) -> Benchmark {
    Benchmark(
      .tool, name, unit, amount: Double(amount), bytesPerItem: bytesPerItem.map(Double.init),
      contenders: sides.map(\.contender)
    ) { index, purpose in
      let (path, side) = (try await source(), sides[index])
      let target = try workspace.emptyDirectory("out")
      let sample = try await ShellPipeline(side.script, path, target, tool ?? self.tool, python ?? "").run(purpose)
      try check(path, target, side, purpose)
      return sample
    }
  }

  private var copies: Check {
    { path, directory, side, purpose in
      try CopyCheck(of: path, by: side.contender.name).expectCopy(in: directory, purpose)
    }
  }

  private static func expectHeroes(
    _ path: String, _ directory: String, _ side: Side, _ purpose: Benchmark.Purpose
  ) throws {
    struct Named: Decodable {
      let name: String
    }
    guard purpose == .counting else { return }
    let names = try [path, directory + "/copy"].map { file in
      try JSONDecoder().decode([Named].self, from: Data(contentsOf: URL(fileURLWithPath: file))).map(\.name).sorted()
    }
    guard names[0] == names[1] else {
      let counts = "\(names[1].count) heroes of \(names[0].count)"
      throw MeasurementFailure("\(side.contender.name) left other heroes: \(counts)")
    }
  }

  // MARK: Files

  private func heroFile() async throws -> String {
    try await workspace.file("heroes.json") { path in
      let heroes = HeroFixtures.heroes(workload.heroCount).map(PlainHero.init)
      try JSONEncoder().encode(heroes).write(to: URL(fileURLWithPath: path))
    }
  }

  /// Returns a folder of small files, whose names are numbers.
  private func folder() async throws -> String {
    try await workspace.file(Self.folderName) { path in
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
      for number in 0..<workload.archivedItemCount {
        try BenchmarkFile.make("\(path)/\(number)", byteCount: Self.smallLength)
      }
    }
  }

  /// Creates archives of the folder beside it, and returns the folder.
  private func archives() async throws -> String {
    let folder = try await folder()
    let query =
      "create table files(name text primary key, content blob); "
      + "insert into files select substr(name, 3), data from fsdir('.') where data is not null"
    for (name, needed, script) in [
      ("folder.drop", [], "\"$3\" send --to \"$2\" *"), ("folder.tar", ["tar"], "tar cf \"$2\" *"),
      ("folder.zip", ["zip"], "zip -q \"$2\" *"), ("folder.sqlite", ["sqlite3"], "sqlite3 \"$2\" \"\(query)\""),
    ] where needed.allSatisfy(InstalledPrograms.has) {
      _ = try await workspace.file(name) { path in
        let arguments = ["-ec", "cd \"$1\" && \(script)", "sh", folder, path, tool]
        _ = try await OwnProcess.output(of: "/bin/sh", arguments)
      }
    }
    return folder
  }
}
