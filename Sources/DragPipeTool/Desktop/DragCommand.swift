// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import DropTransport

/// The command that shows items in a window, from which the user drags them into other programs.
struct DragCommand: ToolCommand {
  static let name = "drag"
  static let summary = "Shows items in a window, to be dragged into other programs."
  static let forms = [
    "[--once|--exit-after-all] [--move] [--on-top] [--icons] FILE…",
    "[--once] [--type TYPE=FILE]… [--lazy TYPE=COMMAND]… [--alias TYPE=TYPE]…",
    "[--once] --as hero|card FILE…",
  ]
  static let operand = ArgumentCompletion.file
  static let options =
    [
      OptionSpecification(name: "once", summary: "end after the first drop"),
      OptionSpecification(name: "exit-after-all", summary: "end once each item was dropped"),
      OptionSpecification(name: "on-top", summary: "keep the window above other windows"),
      OptionSpecification(name: "icons", summary: "show only the pictures of the items, in a small window"),
      OptionSpecification(
        name: "move", short: "m", summary: "allow other programs to move the files, which are then removed here"),
    ]
    + OfferedItems.specifications + [DisplayChoice.option] + TransferOptions.specifications
  static let notes = """
    Drag a row, several selected rows, or all items onto another window. Content is produced when the other program
    requests it, once for each drag. With --type and --lazy, the item is a file for other programs only if --name gives it
    a name. The window stays until it is closed with its button or the Escape key. A file whose name receivers refuse is
    left out with a message, and the exit code is 2.

    After a drop, the row names the program whose report it waits for. The cross of the row ends the wait, and other
    drags can begin meanwhile. If the window is closed while a drop waits, the exit code is 4. A tooltip shows the path
    of the row on which the pointer rests.

    Without --move, only a copy is offered, so that no program moves the files away. With --move, a file is removed once
    the other program has reported a move. The desktop's protocol has no verified end: the report does not confirm that
    the content arrived completely. Between two dragpipe processes, items are verified.

    \(DisplayChoice.windowNote)
    """
  static let examples = [
    "dragpipe drag report.pdf photo.png", "dragpipe drag --once --type .txt=saga.txt --lazy .png=./render",
  ]

  private let items: OfferedItems
  private let isOnce, endsAfterAll, isOnTop, showsOnlyPictures: Bool
  private let allowsMove: Bool
  private let transfer: TransferOptions

  init(_ arguments: ParsedArguments) throws(ToolFailure) {
    items = try OfferedItems(arguments)
    transfer = try TransferOptions(arguments)
    isOnce = arguments.has("once")
    endsAfterAll = arguments.has("exit-after-all")
    if isOnce, endsAfterAll { throw ToolFailure(.usage, "--once and --exit-after-all exclude each other") }
    isOnTop = arguments.has("on-top")
    showsOnlyPictures = arguments.has("icons")
    allowsMove = arguments.has("move")
  }

  func run(in environment: ToolEnvironment) async throws {
    try await DisplayChoice.run(transfer.display, transfer.desktop) {
      let window = DragWindow(
        items: try repeatableItems(environment), dropCount: isOnce ? 1 : nil, endsAfterAll: endsAfterAll,
        allowsMove: allowsMove, isOnTop: isOnTop, showsOnlyPictures: showsOnlyPictures, transfer: transfer)
      _ = try await window.run()
    } terminal: {
      try await environment.holdingMessages { environment in
        let drag = TerminalDrag(
          items: try repeatableItems(environment), dropCount: isOnce ? 1 : nil, endsAfterAll: endsAfterAll,
          allowsMove: allowsMove, transfer: transfer)
        _ = try await drag.run()
      }
    }
  }

  private func repeatableItems(_ environment: ToolEnvironment) throws -> RepeatableItems {
    let context = OfferContext(environment, .desktop, idleTimeout: transfer.idleTimeout)
    try items.check(against: .desktop, context)
    return RepeatableItems(items: items, context: context, keepsGoing: true)
  }
}
