// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The completion script for fish: one `complete` line for each command, for each option of a command, and for the
/// operands of a command.
struct FishCompletion {
  let toplevel: [CommandEntry]

  var script: String {
    let rows =
      toplevel.map { row("__dragpipe_is", command: $0) } + Tool.options.map { row("__dragpipe_is", option: $0) }
      + toplevel.flatMap(rows)
    return
      "# fish completion for dragpipe \(Tool.version), written by \"dragpipe completions fish\".\n\n\(Self.program)\n"
      + rows.joined(separator: "\n") + "\n"
  }

  private static func quote(_ text: String) -> String { CompletionShell.fish.quoted(text) }

  /// Returns the `complete` lines for the subcommands, options and operands of a command, then the lines of each
  /// subcommand.
  private func rows(of entry: CommandEntry) -> [String] {
    let condition = "\(entry.subcommands.isEmpty ? "__dragpipe_at" : "__dragpipe_is") \(entry.path)"
    return entry.subcommands.map { row(condition, command: $0) } + entry.options.map { row(condition, option: $0) }
      + operandRow(of: entry, condition) + entry.subcommands.flatMap(rows)
  }

  private func row(_ condition: String, _ rest: String) -> String {
    "complete -c dragpipe -n \(Self.quote(condition)) \(rest)"
  }

  private func row(_ condition: String, command entry: CommandEntry) -> String {
    row(condition, "-a \(Self.quote(entry.command.name)) -d \(Self.quote(entry.command.summary))")
  }

  private func row(_ condition: String, option: OptionSpecification) -> String {
    var words = option.short.map { ["-s \($0)"] } ?? []
    words.append("-l \(option.name)")
    if let value = option.value { words.append("-r \(arguments(value.completion))") }
    words.append("-d \(Self.quote(option.explanation))")
    return row(condition, words.joined(separator: " "))
  }

  private func operandRow(of entry: CommandEntry, _ condition: String) -> [String] {
    if case .none = entry.command.operand { return [] }
    return [row(condition, arguments(entry.command.operand))]
  }

  private func arguments(_ completion: ArgumentCompletion) -> String {
    switch completion {
    case .none: "-f"
    case .file: "-F"
    case .directory: "-f -a '(__fish_complete_directories (commandline -ct))'"
    case .type: "-f -a '(__dragpipe_types)'"
    case .typeOrFamily: "-f -a \(Self.quote("(__dragpipe_types) \(TypeFamily.words.joined(separator: " "))"))"
    case .endpoint: "-F -a '(__dragpipe_endpoints)'"
    case .command: "-f -a '(__fish_complete_command)'"
    case .words(let words): "-f -a \(Self.quote(words.joined(separator: " ")))"
    }
  }

  /// The part of the script that is the same for every table of commands.
  private static let program = #"""
    # The words before the current one that are not options.
    function __dragpipe_words
        set -l words (commandline -opc)
        set -e words[1]
        string match -v -- '-*' $words
    end

    # Succeeds if those words are exactly the given command, so that a subcommand may follow.
    function __dragpipe_is
        test "$(__dragpipe_words)" = "$argv"
    end

    # Succeeds if those words start with the given command.
    function __dragpipe_at
        set -l words (__dragpipe_words)
        test "$words[1..$(count $argv)]" = "$argv"
    end

    # Types by identifier, MIME type or extension: the current word decides which. After an equals sign, files.
    function __dragpipe_types
        set -l program (commandline -opc)[1]
        set -l word (commandline -ct | string replace -r -- '^--[^=]*=' '')
        switch $word
            case '*=*'
                set -l parts (string split -m 1 = -- $word)
                string replace -r '^' "$parts[1]=" (__fish_complete_path $parts[2])
            case '*/*'
                command $program types list 2>/dev/null | cut -f 3 | string split -n ,
            case '.*'
                command $program types list 2>/dev/null | cut -f 2 | string split -n , | string replace -r '^' .
            case '*'
                command $program types list 2>/dev/null | cut -f 1
        end
    end

    function __dragpipe_endpoints
        string split ' ' 'unix: ssh: exec: fd: stdio: clipboard: primary: desktop:'
    end

    complete -c dragpipe -f
    """#
}
