// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What the manual page says beside what the commands say of themselves.
enum ManualReference {
  static let description = """
    An item is offered in several representations, each of a uniform type, and crosses a pipe, a socket or a file as a
    drop stream. The stream carries checks of everything in it and says where it ends: what a receiver keeps is whole
    and verified, and where it is not, nothing is kept and the exit status is not 0. A failure of the sender becomes one
    of the receiver, so that the status of a pipeline tells of both.

    Data goes to standard output, and everything else to standard error. Names and messages that come from elsewhere are
    shown with their control characters escaped.
    """

  static let endpoints: [(form: String, meaning: String)] = [
    ("-", "standard input or standard output"),
    ("FILE.drop", "a file that holds a stream"),
    ("unix:PATH", "a Unix domain socket, at which a sender listens and to which a receiver connects"),
    ("fd:N", "a descriptor that is open already; a socket goes both ways"),
    ("exec:COMMAND", "the standard input and output of a command of the shell, both ways"),
    ("stdio:", "the other end of that: standard input and output, both ways"),
  ]

  static let environment: [(name: String, meaning: String)] = [
    ("NO_COLOR", "where it is set and not empty, no progress is drawn; --progress always then writes lines"),
    ("TERM", "dumb means the same"),
    ("COLUMNS", "says how wide a terminal is that does not say so itself"),
    ("XDG_DATA_HOME", "has the user's shared MIME database; where it is not set, .local/share of HOME does"),
    ("HOME", "is looked at for that alone"),
    ("XDG_DATA_DIRS", "have the system's; where it is not set, /usr/local/share and /usr/share do"),
    (
      "TMPDIR",
      "takes what waits for the end of a stream and goes to no directory, and what is too large for memory; where it is "
        + "not set, /tmp does"
    ),
    ("DRAGPIPE_FILE", "where the item is that COMMAND of receive --exec works on; set for it, and read by nobody else"),
    ("DRAGPIPE_NAME", "what the sender calls that item: text, not a path; empty where it has no name"),
    ("DRAGPIPE_TYPE", "the item's type, and DRAGPIPE_MIME_TYPE the same as a MIME type, empty where there is none"),
    ("DRAGPIPE_SIZE", "how many bytes it has"),
    ("DRAGPIPE_INDEX", "which item it is, from 1, of DRAGPIPE_COUNT"),
  ]

  static let files: [(name: String, meaning: String)] = [
    ("NAME.drop", "a drop stream that was kept"),
    ("/usr/share/mime", "the shared MIME database, which types are read from"),
  ]

  static let standards = """
    CBOR content is that of RFC 8949. Exit codes from 64 to 77 are those of sysexits.h, options follow the GNU
    conventions, and types come from the shared MIME database of freedesktop.org and what property lists declare.
    """

  static let seeAlso: [(name: String, section: Int)] = [
    ("file", 1), ("jq", 1), ("socat", 1), ("ssh", 1), ("sysexits", 3), ("update\\-mime\\-database", 1),
  ]
}

extension CommandEntry {
  /// Whether one of its options or operands is where a stream comes from or goes to.
  var knowsEndpoints: Bool {
    ([command.operand] + options.compactMap { $0.value?.completion }).contains {
      if case .endpoint = $0 { true } else { false }
    }
  }
}
