// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer

/// The options that leave out files: `--exclude`, `--exclude-from` and `--gitignore`.
struct ExclusionOptions: Sendable {
  static let specifications = [
    OptionSpecification(
      name: "exclude", value: "PATTERN", isRepeatable: true,
      summary: "leave out files and folders that match PATTERN, in the syntax of gitignore"),
    OptionSpecification(
      name: "exclude-from", value: ArgumentValue("FILE", .file), isRepeatable: true,
      summary: "read such patterns from FILE, one per line"),
    OptionSpecification(name: "gitignore", summary: "leave out what Git ignores in folders, and .git itself"),
  ]
  /// The maximum size of a file of patterns in bytes.
  private static let maximumByteCount = 1 << 20

  private let given: ExclusionPatterns
  private let files: [String]
  private let asksGit: Bool

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    var given = ExclusionPatterns()
    for pattern in arguments.values("exclude") where !given.append(pattern.utf8) {
      throw ToolFailure(.usage, "--exclude \"\(pattern.escapedForDisplay())\" matches no file")
    }
    self.given = given
    files = arguments.values("exclude-from")
    asksGit = arguments.has("gitignore")
    if files.contains("-") { throw ToolFailure(.usage, "--exclude-from needs a file") }
    if asksGit, try arguments.value("from-list") != nil {
      throw ToolFailure(
        .usage, "--gitignore applies to folders; for a list, try: git ls-files | dragpipe send --from-list -")
    }
  }

  /// The first of these options that was given.
  var first: String? {
    if !given.isEmpty { return "--exclude" }
    if !files.isEmpty { return "--exclude-from" }
    return asksGit ? "--gitignore" : nil
  }

  /// Reads the patterns, and asks Git for the ignored files.
  ///
  /// - Parameters:
  ///   - context: The context that gets the result.
  ///   - operands: The files and folders of the command line.
  /// - Throws: `noInput` for a file that cannot be read, and for a folder that Git does not know; `refused` for a long
  ///   file.
  func apply(to context: inout OfferContext, _ operands: [String]) async throws {
    for file in files {
      let source = try context.chunks(of: file)
      var text = Data()
      while let chunk = try await source.next() {
        text += chunk
        guard text.count <= Self.maximumByteCount else {
          throw ToolFailure(
            .refused, "\(file.shownAsOperand) exceeds the limit of \(Self.maximumByteCount) bytes of patterns")
        }
      }
      context.exclusions.append(lines: text)
    }
    // Patterns of the command line precede those of files: the last match decides.
    context.exclusions.append(given)
    guard asksGit else { return }
    let operands = operands.map { OfferedFile(path: $0) }
    for file in operands where file.isFolder {
      let list = "ls-files -z --others --ignored --exclude-standard --directory"
      let paths = try await Self.paths(from: list, in: file.path, context)
      context.ignored[Array(file.path.utf8)] = Set(paths.map { $0.last == UInt8(ascii: "/") ? $0.dropLast() : $0 })
    }
    // The root of a work tree cannot be looked up from its parent.
    for (folder, files) in Dictionary(
      grouping: operands, by: { Array(($0.isFolder ? $0.path : $0.directoryPath).utf8) })
    {
      var rest = files[...]
      while !rest.isEmpty {
        // An argument has a maximum length.
        let part = rest.prefix(Self.lookupCount)
        rest = rest.dropFirst(part.count)
        // Git gives a name that starts with a colon a meaning.
        let names = part.map { "./" + ($0.isFolder ? "" : $0.name ?? "") }
        let input = names.map(CompletionShell.bash.quoted).joined(separator: " ")
        let ignored = try await Self.paths(
          from: "check-ignore -z --stdin; [ $? -le 1 ]", in: String(decoding: folder, as: UTF8.self), context,
          input: "printf '%s\\0' \(input) | ")
        for (file, name) in zip(part, names) where ignored.contains(Array(name.utf8)) {
          context.ignoredOperands.insert(Array(file.path.utf8))
        }
      }
    }
  }

  /// The number of names of one lookup, each of up to 255 bytes, which are quoted.
  private static let lookupCount = 100

  /// Runs Git in a folder, and returns the paths that it writes.
  ///
  /// The folder may be a hostile repository: Git must not run its monitor or fetch objects, which are commands that the
  /// repository configures. Variables of a hook would name another repository.
  private static func paths(
    from subcommand: String, in folder: String, _ context: OfferContext, input: String = ""
  ) async throws -> Set<[UInt8]> {
    let settings = "-u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE GIT_ALLOW_PROTOCOL=none GIT_NO_LAZY_FETCH=1"
    let place = CompletionShell.bash.quoted(folder)
    let command = ShellCommand(
      text: "\(input)env \(settings) git -c core.fsmonitor=false -C \(place) \(subcommand)")
    var text = Data()
    do {
      for try await chunk in try command.output(idleTimeout: context.idleTimeout) { text += chunk }
    } catch is ToolFailure {
      // The command has written the reason.
      throw ToolFailure(.noInput, "--gitignore: Git cannot list the ignored files of \(folder.shownAsOperand)")
    }
    return Set(text.split(separator: 0).map { Array($0) })
  }
}
