// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The help texts, made of what the commands say of themselves.
enum ToolHelp {
  static var overview: String {
    let width = (Tool.commands.map { $0.name.count }.max() ?? 0) + 2
    let commands = Tool.commands.map { "  \(pad($0.name, to: width))\($0.summary)\n" }.joined()
    return """
      dragpipe hands typed, verified items from one process to another.

        dragpipe send notes.txt photo.png | dragpipe receive in/
        dragpipe send --as hero heroes.json | dragpipe receive --as hero --into favourites.json
        dragpipe demo

      Commands (dragpipe COMMAND --help says more):
      \(commands)
      Exit codes:
         0  complete and verified    64  usage                   73  cannot create output
         1  other failure            65  malformed or cut        74  reading or writing failed
         2  whole, but the sender    66  cannot open input       75  nothing moved for too long
            could not make some      69  peer gone               76  unknown version or feature
         3  no acceptable type       70  internal fault          77  refused: a limit, an unsafe name
         4  cancelled by the peer                                130, 143  interrupted, terminated

      """
  }

  static func page(for command: any ToolCommand.Type) -> String {
    let forms = command.forms.map { "  dragpipe \(command.name)\($0.isEmpty ? "" : " ")\($0)\n" }.joined()
    let labels = command.options.map { "--\($0.name)" + ($0.value.map { " \($0.placeholder)" } ?? "") }
    let width = (labels.map(\.count).max() ?? 0) + 2
    let options = zip(labels, command.options).map { "  \(pad($0, to: width))\($1.summary)\n" }.joined()
    return "\(command.summary)\n\n\(forms)" + (options.isEmpty ? "" : "\n\(options)")
      + (command.notes.isEmpty ? "" : "\n\(command.notes)\n")
  }

  /// A number and what it counts, in the plural where that is due.
  static func count(_ number: some BinaryInteger, _ noun: String) -> String {
    "\(number) \(noun)\(number == 1 ? "" : "s")"
  }

  static func pad(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
