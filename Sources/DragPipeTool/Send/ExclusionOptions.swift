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
  func apply(to context: inout OfferContext, _ operands: [OfferedFile]) async throws {
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
    for file in operands where file.isFolder {
      let list = "ls-files -z --others --ignored --exclude-standard --directory"
      let paths = try await Self.paths(from: list, in: file.path, context)
      context.ignored[file.path] = Set(paths.map { $0.last == UInt8(ascii: "/") ? $0.dropLast() : $0 })
    }
    // The root of a work tree cannot be looked up from its parent.
    for (folder, files) in Dictionary(grouping: operands, by: { $0.isFolder ? $0.path : $0.directoryPath }) {
      let names = files.map { CompletionShell.bash.quoted($0.isFolder ? "." : $0.name ?? ".") }
      let lookup = "check-ignore -z --stdin"
      let found = try await Self.paths(
        from: lookup, in: folder, context, before: "printf '%s\\0' \(names.joined(separator: " ")) |", mostStatus: 1)
      let ignored = Set(found)
      for file in files where ignored.contains(Array((file.isFolder ? "." : file.name ?? ".").utf8)) {
        context.ignoredOperands.insert(file.path)
      }
    }
  }

  /// Runs Git in a folder, and returns the paths that it writes.
  private static func paths(
    from subcommand: String, in folder: String, _ context: OfferContext, before: String = "exec", mostStatus: Int = 0
  ) async throws -> [[UInt8]] {
    // A monitor that the repository configures is a command, which a listing must not run.
    let git = "git -c core.fsmonitor=false -C \(CompletionShell.bash.quoted(folder)) \(subcommand)"
    let command = ShellCommand(
      text: mostStatus == 0 ? "\(before) \(git)" : "\(before) \(git); [ $? -le \(mostStatus) ]")
    var text = Data()
    do {
      for try await chunk in try command.output(idleTimeout: context.idleTimeout) { text += chunk }
    } catch is ToolFailure {
      // The command has written the reason.
      throw ToolFailure(.noInput, "--gitignore: Git cannot list the ignored files of \(folder.shownAsOperand)")
    }
    return text.split(separator: 0).map { Array($0) }
  }
}
