// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension MIMEDatabase {
  /// Where the databases of a user and of the system are, by the XDG Base Directory Specification.
  ///
  /// - Parameter environment: Of which `XDG_DATA_HOME`, `HOME` and `XDG_DATA_DIRS` count. An empty value is none, and a
  ///   directory that is not absolute does not count.
  /// - Returns: The directories named `mime`, nearest first, whether or not they are there.
  package static func systemDirectories(environment: [String: String]) -> [String] {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    let home = value("XDG_DATA_HOME") ?? value("HOME").map { "\($0)/.local/share" }
    let others = (value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share").split(separator: ":").map(String.init)
    var directories: [String] = []
    for base in [home].compactMap(\.self) + others where base.hasPrefix("/") && !base.utf8.contains(0) {
      var base = base
      while base.hasSuffix("/") { base.removeLast() }
      let directory = "\(base)/mime"
      if !directories.contains(directory), directories.count < maximumDirectories { directories.append(directory) }
    }
    return directories
  }
}
