// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The completion script for bash.
///
/// The shell functions `_dragpipe_command` and `_dragpipe_value` contain the table of commands. The function
/// `_dragpipe` completes the command line with them.
struct BashCompletion {
  let entries: [CommandEntry]

  var script: String {
    """
    # bash completion for dragpipe \(Tool.version), written by "dragpipe completions bash".

    # Sets `options` and `commands` to the options and subcommands of a command.
    _dragpipe_command() {
      options=() commands=()
      case $1 in
    \(rows { "\(Self.quote($0.path))) options=(\(words(spellings($0.options)))) commands=(\(words(names($0)))) ;;" })
        *) options=(\(words(spellings(Tool.options)))) commands=(\(words(toplevelNames))) ;;
      esac
    }

    # Sets `kind` and `choices` for the value of a command's option, or for its operands if the option is "".
    # Fails if the option takes no value.
    _dragpipe_value() {
      kind=none choices=()
      case "$1 $2" in
    \(rows(values))
        *) return 1 ;;
      esac
    }

    \(Self.program)
    """
  }

  private static func quote(_ text: String) -> String { CompletionShell.bash.quoted(text) }

  private var toplevelNames: [String] { entries.filter { $0.chain.count == 1 }.map(\.path) }

  private func words(_ words: [String]) -> String { words.map(Self.quote).joined(separator: " ") }

  private func spellings(_ options: [OptionSpecification]) -> [String] { options.flatMap(\.spellings) }

  private func names(_ entry: CommandEntry) -> [String] { entry.subcommands.map { $0.command.name } }

  private func rows(_ row: (CommandEntry) -> String) -> String {
    entries.map(row).filter { !$0.isEmpty }.map { "    \($0)" }.joined(separator: "\n")
  }

  /// Returns one `case` row for each value of a command: the patterns of the option or operand, and its completions.
  private func values(of entry: CommandEntry) -> String {
    var lines = entry.options.compactMap { option in
      option.value.map { value in
        let patterns = option.spellings.map { Self.quote("\(entry.path) \($0)") }.joined(separator: " | ")
        return "\(patterns)) \(assignment(of: value.completion)) ;;"
      }
    }
    if case .none = entry.command.operand {
    } else {
      lines.append("\(Self.quote("\(entry.path) "))) \(assignment(of: entry.command.operand)) ;;")
    }
    return lines.joined(separator: "\n    ")
  }

  private func assignment(of completion: ArgumentCompletion) -> String {
    switch completion {
    case .none: "kind=none"
    case .file: "kind=file"
    case .directory: "kind=directory"
    case .type: "kind=type"
    case .typeOrFamily: "kind=type choices=(\(words(TypeFamily.words)))"
    case .endpoint: "kind=endpoint"
    case .command: "kind=command"
    case .words(let choices): "kind=words choices=(\(words(choices)))"
    }
  }

  /// The part of the script that is the same for every table of commands.
  private static let program = #"""
    # Adds the words that start with the current word.
    _dragpipe_offer() {
      local word
      for word; do [[ $word == "$current"* ]] && COMPREPLY+=("$prefix$word"); done
    }

    # Adds files (-f), directories (-d) or programs (-c).
    _dragpipe_generate() {
      local word
      [[ $1 == -c ]] || compopt -o filenames 2> /dev/null
      while IFS= read -r word; do COMPREPLY+=("$prefix$word"); done < <(compgen "$1" -- "$current" | sort -u)
    }

    # Adds the given words, and types by identifier, MIME type or extension: the current word decides which.
    _dragpipe_types() {
      local column=1 lead='' word
      _dragpipe_offer "${choices[@]}"
      [[ $current == */* ]] && column=3
      [[ $current == .* ]] && column=2 lead=.
      while IFS= read -r word; do
        [[ -n $word && $lead$word == "$current"* ]] && COMPREPLY+=("$prefix$lead$word")
      done < <("$program" types list 2> /dev/null | cut -f "$column" | tr , '\n')
    }

    _dragpipe_endpoints() {
      local word
      case $current in
        unix:*) prefix+=unix: current=${current#*:}; _dragpipe_generate -f ;;
        exec:*) prefix+=exec: current=${current#*:}; _dragpipe_generate -c ;;
        fd:*) ;;
        *)
          _dragpipe_offer unix: ssh: exec: fd: stdio: clipboard: primary: desktop:
          if ((${#COMPREPLY[@]} == 0)); then
            _dragpipe_generate -f
            return
          fi
          # bash quotes names only if all words are file names.
          compopt -o nospace 2> /dev/null
          while IFS= read -r word; do
            printf -v word %q "$word"
            COMPREPLY+=("$prefix$word")
          done < <(compgen -f -- "$current")
          ;;
      esac
    }

    # Sets `line` to the part of the command line before the cursor; COMP_POINT counts bytes.
    _dragpipe_line() {
      local LC_ALL=C
      line=${COMP_LINE:0:COMP_POINT}
    }

    _dragpipe() {
      local program=${1/#\~\//$HOME/} command='' expected='' ended='' prefix='' kind current line word breaks skip i
      local -a words options commands choices
      COMPREPLY=()

      # bash splits words at a colon and an equals sign, the tool does not: join words that no space separates.
      _dragpipe_line
      words=()
      for ((i = 0; i <= COMP_CWORD; i++)); do
        word=${COMP_WORDS[i]}
        if ((i == 0)) || [[ $line == [[:space:]]* ]]; then words+=(''); fi
        line=${line#"${line%%[![:space:]]*}"}
        # The cursor may be inside the word.
        ((i == COMP_CWORD)) && word=$line
        words[${#words[@]} - 1]+=$word
        line=${line#"$word"}
      done
      current=${words[${#words[@]} - 1]}

      _dragpipe_command ''
      for ((i = 1; i < ${#words[@]} - 1; i++)); do
        word=${words[i]}
        if [[ -n $expected ]]; then
          expected=''
        elif [[ -n $ended || $word != -?* ]]; then
          for kind in "${commands[@]}"; do
            [[ $kind == "$word" ]] || continue
            command+=${command:+ }$word
            _dragpipe_command "$command"
            break
          done
        elif [[ $word == -- ]]; then
          ended=1
        elif [[ $word == --* ]]; then
          [[ $word != *=* ]] && _dragpipe_value "$command" "$word" && expected=1
        else
          for ((skip = 1; skip < ${#word}; skip++)); do
            _dragpipe_value "$command" "-${word:skip:1}" || continue
            ((skip == ${#word} - 1)) && expected=1
            break
          done
        fi
      done

      if [[ -n $expected ]]; then
        :
      elif [[ -z $ended && $current == --*=* ]]; then
        prefix=${current%%=*}=
        _dragpipe_value "$command" "${current%%=*}" || return 0
        current=${current#*=}
      elif [[ -z $ended && $current == -[!-]?* ]]; then
        for ((skip = 1; skip < ${#current}; skip++)); do
          _dragpipe_value "$command" "-${current:skip:1}" && break
        done
        ((skip < ${#current} - 1)) || return 0
        prefix=${current:0:skip + 1}
        current=${current:skip + 1}
      elif [[ -z $ended && $current == -* ]]; then
        kind=words choices=("${options[@]}")
      elif ((${#commands[@]})); then
        kind=words choices=("${commands[@]}")
      else
        _dragpipe_value "$command" '' || return 0
      fi

      word=$prefix$current
      [[ $kind == type && $current == *=* ]] && kind=file prefix+=${current%%=*}= current=${current#*=}
      case $kind in
        words) _dragpipe_offer "${choices[@]}" ;;
        file) _dragpipe_generate -f ;;
        directory) _dragpipe_generate -d ;;
        command) _dragpipe_generate -c ;;
        type) _dragpipe_types ;;
        endpoint) _dragpipe_endpoints ;;
      esac

      # bash replaces only the text after the last break character.
      [[ $COMP_WORDBREAKS == *=* ]] && breaks+==
      [[ $COMP_WORDBREAKS == *:* ]] && breaks+=:
      if [[ -n $breaks && $word == *["$breaks"]* ]]; then
        skip=${word%"${word##*["$breaks"]}"}
        for ((i = 0; i < ${#COMPREPLY[@]}; i++)); do COMPREPLY[i]=${COMPREPLY[i]#"$skip"}; done
      fi
      return 0
    }

    complete -F _dragpipe dragpipe

    """#
}
