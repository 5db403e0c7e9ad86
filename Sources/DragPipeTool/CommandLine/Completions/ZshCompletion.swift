// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The completion script for zsh: one shell function for the program, and one for each command.
///
/// Each of these functions calls `_arguments`.
struct ZshCompletion {
  let toplevel: [CommandEntry]

  var script: String {
    """
    #compdef dragpipe
    # zsh completion for dragpipe \(Tool.version), written by "dragpipe completions zsh".

    \(Self.program)
    \(function(named: "_dragpipe", options: Tool.options, toplevel, operand: .none))
    \(toplevel.flatMap { [$0] + $0.subcommands }.map(function).joined(separator: "\n"))
    # compinit's loader runs this file as the function itself; a file that is sourced only registers it.
    if [[ $funcstack[1] == _dragpipe ]]; then _dragpipe "$@"; else compdef _dragpipe dragpipe; fi

    """
  }

  private static func quote(_ text: String) -> String { CompletionShell.zsh.quoted(text) }

  private func name(of entry: CommandEntry) -> String {
    "_dragpipe_command_" + entry.chain.map { $0.name }.joined(separator: "_")
  }

  private func function(of entry: CommandEntry) -> String {
    function(named: name(of: entry), options: entry.options, entry.subcommands, operand: entry.command.operand)
  }

  private func function(
    named name: String, options: [OptionSpecification], _ subcommands: [CommandEntry], operand: ArgumentCompletion
  ) -> String {
    var lines = options.map(specification)
    if !subcommands.isEmpty {
      lines += [Self.quote("1:command:->command"), Self.quote("*::argument:->argument")]
    } else if let action = action(operand) {
      lines.append(Self.quote("*:\(action.noun):\(action.text)"))
    }
    let call = "_arguments -s -S -C : \\\n" + lines.map { "    \($0)" }.joined(separator: " \\\n")
    guard !subcommands.isEmpty else { return "\(name)() {\n  \(call)\n}\n" }
    let summaries = subcommands.map { Self.quote("\(escaped($0.command.name)):\($0.command.summary)") }
    let rows = subcommands.map { "        \($0.command.name)) \(self.name(of: $0)) && found=0 ;;" }
    return """
      \(name)() {
        local curcontext=$curcontext state line found=1
        local -A opt_args
        local -a commands=(
          \(summaries.joined(separator: "\n    "))
        )
        \(name == "_dragpipe" ? "local _dragpipe_program=${(Q)words[1]/#\\~\\//$HOME/}\n  " : "")\(call) && found=0
        case $state in
          command) _describe -t commands command commands && found=0 ;;
          argument)
            case $line[1] in
      \(rows.joined(separator: "\n"))
            esac
            ;;
        esac
        return found
      }

      """
  }

  /// The specification of an option for `_arguments`.
  private func specification(of option: OptionSpecification) -> String {
    let exclusion = option.isRepeatable ? "*" : "(\(option.spellings.joined(separator: " ")))"
    let value = option.value.map { value in
      ":\(escaped(value.placeholder)):\(action(value.completion)?.text ?? " ")"
    }
    let tail = "[\(escaped(option.explanation))]\(value ?? "")"
    let spellings = option.spellings.map { spelling in
      option.value == nil ? spelling : spelling.hasPrefix("--") ? "\(spelling)=" : "\(spelling)+"
    }
    return spellings.map { Self.quote("\(exclusion)\($0)\(tail)") }.joined(separator: " ")
  }

  private func action(_ completion: ArgumentCompletion) -> (noun: String, text: String)? {
    switch completion {
    case .none: nil
    case .file: ("file", "_files")
    case .directory: ("directory", "_files -/")
    // Without the leading space, `_arguments` would insert its own options before the words.
    case .type: ("type", " _dragpipe_types")
    case .typeOrFamily: ("type", " _dragpipe_types \(TypeFamily.words.joined(separator: " "))")
    case .endpoint: ("endpoint", "_dragpipe_endpoints")
    case .command: ("command", "_command_names -e")
    case .words(let words): ("word", "(\(words.joined(separator: " ")))")
    }
  }

  /// Escapes every character that is special in a specification of `_arguments`.
  private func escaped(_ text: String) -> String {
    text.backslashing("\\:[]")
  }

  /// The part of the script that is the same for every table of commands.
  private static let program = #"""
    # The given words, and types by identifier, MIME type or extension: the current word decides which.
    # After an equals sign, files.
    _dragpipe_types() {
      local column=1
      local -a types
      if compset -P 1 '*='; then
        _files
        return
      fi
      [[ $PREFIX == */* ]] && column=3
      [[ $PREFIX == .* ]] && column=2
      types=(${(f)"$(
        _call_program types ${(q)_dragpipe_program} types list 2> /dev/null | cut -f $column | tr , '\n'
      )"})
      ((column == 2)) && types=(.$^types)
      compadd -- "$@"
      compadd -a types
    }

    _dragpipe_endpoints() {
      if compset -P 'unix:'; then
        _files
      elif compset -P 'exec:'; then
        _command_names -e
      else
        compadd -S '' -- unix: ssh: exec: fd: stdio: clipboard: primary: desktop:
        _files
      fi
    }

    """#
}
