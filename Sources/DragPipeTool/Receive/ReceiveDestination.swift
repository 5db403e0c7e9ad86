// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer
internal import UniformTypes

/// The destination of received items, or another action of `receive`.
enum ReceiveDestination: Sendable {
  case folder(DropFolder)
  /// Standard output, which gets all items in order, or one file. The folder has the options, and for a file also the
  /// directory and the name.
  case output(DropFolder, isStandard: Bool)
  case command(ShellCommand, DropFolder)
  case heroes(file: String)
  case cards(file: String, column: String?)
  case list(isJSON: Bool)
  /// No destination: the command removes the leftovers of killed receivers.
  case cleaning(DropFolder)

  /// Whether content or a listing is written to standard output.
  var writesOutput: Bool {
    switch self {
    case .list, .output(_, isStandard: true), .heroes(file: "-"), .cards(file: "-", _): true
    case .folder, .output, .heroes, .cards, .command, .cleaning: false
    }
  }

  /// The path of the output file, if the destination is one file.
  var outputPath: String? {
    guard case .output(let folder, isStandard: false) = self, case .fixed(let name) = folder.naming else { return nil }
    return folder.path == "." ? name : folder.path + "/" + name
  }

  /// Whether to flush received content to the disk.
  ///
  /// A move requires this, since the sender then removes its files.
  static func isDurable(_ arguments: ParsedArguments) -> Bool { arguments.has("sync") || arguments.has("move") }

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    let output = try arguments.value("output")
    let command = try arguments.value("exec")
    let file = try arguments.value("into")
    let kind = try ItemKind(option: try arguments.value("as"))
    let destinations =
      [output != nil, command != nil, kind != nil || file != nil, arguments.has("list")]
      .count { $0 } + arguments.operands.count
    guard destinations > 0 else {
      throw ToolFailure(
        .usage, "no destination; name a directory, or use -o, --exec, --list, or --as with --into")
    }
    guard destinations == 1 else {
      throw ToolFailure(.usage, "more than one destination; use one of DIR, -o, --exec, --list, and --as with --into")
    }
    if arguments.has("clean") {
      let others = ReceiveCommand.options.map(\.name).filter { $0 != "clean" && $0 != "quiet" }
      try Self.refuse(arguments, others, "cannot be combined with --clean")
      self = .cleaning(try Self.directory(arguments))
      return
    }
    if arguments.has("list") {
      let others = [
        "accept", "only", "all", "preserve", "archives", "links", "xattrs", "owners", "move", "sync", "resume", "print",
        "null",
      ]
      try Self.refuse(arguments, others, "cannot be combined with --list")
      self = .list(isJSON: arguments.has("json"))
      return
    }
    if !arguments.has("print") { try Self.refuse(arguments, ["json"], "needs --list or --print") }
    if kind != nil || file != nil {
      self = try Self.items(kind, file, arguments)
      return
    }
    try Self.refuse(arguments, ["column"], "needs --as card")
    if let output {
      self = try Self.output(output, arguments)
    } else if let command {
      try Self.refuse(
        arguments, ["preserve", "rename", "overwrite", "skip-existing", "hidden", "sync", "resume"],
        "cannot be combined with --exec")
      guard !command.isEmpty else { throw ToolFailure(.usage, "--exec needs a command") }
      self = .command(ShellCommand(text: command), try Self.folder("", arguments))
    } else {
      var folder = try Self.directory(arguments)
      folder.isCreatedWhenMissing = folder.path.hasSuffix("/")
      self = .folder(folder)
    }
  }

  private static func directory(_ arguments: ParsedArguments) throws(ToolFailure) -> DropFolder {
    guard let path = arguments.operands.first else { throw ToolFailure(.usage, "--clean needs a directory") }
    guard !path.isEmpty else { throw ToolFailure(.usage, "DIR is empty; for the current directory, use .") }
    guard path != "-" else { throw ToolFailure(.usage, "- is not a directory; for standard output, use -o -") }
    return try folder(path, arguments)
  }

  private static func items(
    _ kind: ItemKind?, _ file: String?, _ arguments: ParsedArguments
  ) throws(ToolFailure) -> ReceiveDestination {
    let others = [
      "accept", "only", "all", "preserve", "archives", "links", "xattrs", "owners", "rename", "overwrite",
      "skip-existing",
      "hidden", "resume",
    ]
    try refuse(arguments, others, "cannot be combined with --as")
    if file?.isEmpty == true { throw ToolFailure(.usage, "--into needs a file name, or - for standard output") }
    if file == "-" { try refuse(arguments, ["sync"], "cannot be combined with --into -") }
    let column = try arguments.value("column")
    switch (kind, file) {
    case (.hero, let file?) where column == nil: return .heroes(file: file)
    case (.card, let file?): return .cards(file: file, column: column)
    case (.hero, _?): throw ToolFailure(.usage, "--column needs --as card")
    default: throw ToolFailure(.usage, "--as and --into need each other")
    }
  }

  private static func output(_ file: String, _ arguments: ParsedArguments) throws(ToolFailure) -> ReceiveDestination {
    try refuse(arguments, ["all", "rename", "hidden"], "cannot be combined with -o")
    if file == "-" {
      try refuse(
        arguments, ["preserve", "overwrite", "skip-existing", "sync", "resume"],
        "cannot be combined with -o -")
      return .output(try folder("", arguments), isStandard: true)
    }
    guard !file.isEmpty else { throw ToolFailure(.usage, "-o needs a file name, or - for standard output") }
    let url = URL(fileURLWithPath: file)
    guard !file.hasSuffix("/"), ![".", "..", "/"].contains(url.lastPathComponent) else {
      throw ToolFailure(
        .usage, "-o \(file.escapedForDisplay()) is not a file name; to receive into a directory, use DIR")
    }
    let slash = file.utf8.lastIndex(of: UInt8(ascii: "/"))
    let parent = slash.map { $0 == file.startIndex ? "/" : String(file[..<$0]) } ?? "."
    var folder = try folder(parent, arguments)
    folder.naming = .fixed(String(file[(slash.map { file.utf8.index(after: $0) } ?? file.startIndex)...]))
    return .output(folder, isStandard: false)
  }

  private static func folder(_ path: String, _ arguments: ParsedArguments) throws(ToolFailure) -> DropFolder {
    var folder = DropFolder(path: path)
    folder.leavesOutHiddenNames = true
    let words = arguments.values("only")
    guard words.allSatisfy({ !$0.isEmpty }) else { throw ToolFailure(.usage, "--only: an empty word") }
    if !words.isEmpty { folder.selection = ItemSelection(words.map { .init($0, type: UTType(operand: $0)) }) }
    let types = arguments.values("accept")
    guard types.allSatisfy({ !$0.isEmpty }) else { throw ToolFailure(.usage, "--accept: an empty type") }
    for type in types { folder.acceptedTypes.append(try UTType(operandOrName: type)) }
    folder.keepsAllRepresentations = arguments.has("all")
    folder.allowsHiddenNames = arguments.has("hidden")
    folder.preservesAttributes = arguments.has("preserve")
    folder.unpacksFolders = !arguments.has("archives")
    switch try arguments.value("links") {
    case nil, "inside": break
    case "all": folder.allowsAllLinks = true
    case let other?: throw ToolFailure(.usage, "--links \(other.escapedForDisplay()) is unknown; use inside or all")
    }
    folder.restoresExtendedAttributes = arguments.has("xattrs")
    folder.restoresOwners = arguments.has("owners")
    if folder.restoresOwners, geteuid() != 0 { throw ToolFailure(.usage, "--owners needs the rights of root") }
    folder.isDurable = isDurable(arguments)
    folder.isResumable = arguments.has("resume")
    let given = ["overwrite", "rename", "skip-existing"].filter(arguments.has)
    guard given.count <= 1 else { throw ToolFailure(.usage, "--\(given[0]) and --\(given[1]) exclude each other") }
    switch given.first {
    case "overwrite": folder.collision = .replace
    case "rename": folder.collision = .rename
    case "skip-existing": folder.collision = .skip
    default: break
    }
    return folder
  }

  static func refuse(
    _ arguments: ParsedArguments, _ options: [String], _ reason: String
  ) throws(ToolFailure) {
    if let option = options.first(where: arguments.has) {
      throw ToolFailure(.usage, "--\(option) \(reason)")
    }
  }
}
