// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import Glibc
internal import ItemTransfer

/// The requirements of clipboards, drags and windows on a display.
///
/// One class for each display system implements them. Content, promised files and the items of a drop are the same for
/// all of them.
protocol DisplayBackend: AnyObject, Sendable {
  var options: DesktopOptions { get }
  /// The connection, for the module of this package that opens windows.
  var connectionForWindows: DisplayConnection { get }

  /// Routes the events of the connection until it ends.
  func route() async
  /// Waits for what the display reports at the start.
  func prepare() async throws
  /// Ends the connection after all queued requests.
  func close() async
  /// Ends the connection at once, so that everything that uses it fails.
  func disconnect()
  /// The tasks that end before the connection is closed.
  var unfinished: UnfinishedTasks { get }
  /// The reason why the events have ended.
  var failure: DesktopError { get }
  /// Returns a queue of all events of windows from now on; above the limit, further events are dropped.
  func windowEvents(limit: Int) -> AsyncQueue<DisplayEvent>

  // MARK: Clipboards

  /// Returns the content of a selection.
  func content(of selection: Clipboard.Selection) async throws -> any ForeignContent
  /// Returns the changes of a selection from now on; a further change replaces an unread one.
  func changes(of selection: Clipboard.Selection) async throws -> AsyncQueue<Clipboard.Change>
  /// Offers content until another program takes the selection, or until `pasteLimit` values were sent.
  func offer(
    _ content: ProviderContent, on selection: Clipboard.Selection, isSensitive: Bool, pasteLimit: Int?,
    whenOffered: @Sendable () async -> Void
  ) async throws
  /// Removes the content of a selection, whichever program offers it.
  func clear(_ selection: Clipboard.Selection) async throws

  // MARK: Drags

  /// Runs a drag until it has ended.
  func run(
    _ drag: DesktopDrag, from press: DesktopDrag.Press, onDrop: @escaping @Sendable (String?) -> Void
  ) async throws -> DesktopDrag.Outcome
  /// Makes a window a target of drags.
  func target(_ target: DesktopDrop, _ queue: AsyncQueue<DesktopDrop.Event>) async throws -> any DropReceiver
}

extension DisplayBackend {
  /// Runs work in a new task, which ends before the connection is closed.
  func finishBeforeClosing(_ work: @escaping @Sendable () async -> Void) { unfinished.run(work) }

  /// Waits for the next value of a queue.
  ///
  /// - Throws: `timedOut` after the idle timeout; `displayGone`; `CancellationError`.
  func next<Value: Sendable>(of values: AsyncQueue<Value>, while task: String) async throws -> Value {
    if let value = try await values.next(within: options.idleTimeout, while: task) { return value }
    throw failure
  }
}

/// The loop of a window that is a target of drags.
protocol DropReceiver: Sendable {
  /// Responds to drags until ``stop()`` is called, the window is closed, or the connection ends.
  func run() async
  /// Ends the loop.
  func stop()
}

/// A drop on a window, as its display reports it.
protocol ForeignDrop: Sendable {
  /// The dropped content.
  var content: any ForeignContent { get }
  /// Loads the items.
  ///
  /// - Parameters:
  ///   - names: The names of the types to use.
  ///   - directory: The parent of private directories for files that the source saves; `nil` for the usual one.
  ///   - progress: The progress of a drop stream, which advances with each received byte.
  /// - Returns: The items.
  /// - Throws: The errors of the content, and of a drop stream.
  func load(_ names: [String], in directory: URL?, progress: ItemProgress) async throws -> LoadedDrop
  /// Checks that the paths of the files lead to them on this machine.
  func checkAddresses() async throws
  /// Checks that the source can still receive the report of an action.
  ///
  /// - Throws: `sourceFailed`, `displayGone`, `timedOut`, `notAllowed`.
  func check(_ action: DropAction) async throws
  /// Reports the end to the source; `nil` is a refusal.
  func end(accepting action: DropAction?)
}

extension ForeignDrop {
  func checkAddresses() async throws {}
}

/// The content that another program offers.
protocol ForeignContent: Sendable {
  var options: DesktopOptions { get }
  /// Returns the names of the offered types in the order of the other program.
  ///
  /// - Throws: `nothingOffered` without content or types; `sourceFailed`, `timedOut`, `limitExceeded`, `malformed`,
  ///   `displayGone`.
  func typeNames() async throws -> [String]
  /// Requests a value.
  ///
  /// - Returns: The transfer; `nil` if no program offers the content any more.
  func transfer(of name: String) async throws -> (any ForeignTransfer)?
  /// Requests a value that crosses in a pipe.
  ///
  /// - Returns: The end to read, which the caller closes; `nil` if the display has no pipes, or no program offers the
  ///   content any more.
  func pipe(of name: String) async throws -> CInt?
}

/// The transfer of one value from another program.
protocol ForeignTransfer: Sendable {
  /// Returns the next part of the value; `nil` after the last part, and after an error.
  ///
  /// Only one task at a time may call this method.
  ///
  /// - Parameter limit: The maximum length of the value in bytes.
  /// - Returns: The part.
  /// - Throws: `sourceFailed`, `timedOut`, `limitExceeded`, `malformed`, `displayGone`.
  func nextBytes(limit: Int) async throws -> ArraySlice<UInt8>?
}

extension ForeignContent {
  func pipe(of name: String) async throws -> CInt? { nil }

  /// Returns a value.
  ///
  /// - Parameters:
  ///   - name: The name of the type.
  ///   - limit: The maximum length in bytes.
  /// - Returns: The bytes.
  /// - Throws: The errors of the sequence ``chunks(of:)``.
  func data(of name: String, limit: Int) async throws -> Data {
    var data = Data()
    for try await chunk in ForeignChunks(content: self, name: name, limit: limit) { data += chunk }
    return data
  }

  /// Returns a value as a sequence of parts.
  ///
  /// Each part is read when the caller requests it.
  ///
  /// - Parameter name: The name of the type.
  /// - Returns: The sequence, which throws `sourceFailed`, `timedOut`, `limitExceeded`, `malformed`, `displayGone`, and
  ///   `CancellationError`. The limit is that of the options.
  func chunks(of name: String) -> ForeignChunks {
    ForeignChunks(content: self, name: name, limit: options.maximumBytes)
  }
}

/// The bytes of a value in the parts in which the other program sends them.
struct ForeignChunks: AsyncSequence, Sendable {
  typealias Element = ArraySlice<UInt8>

  let content: any ForeignContent
  let name: String
  let limit: Int

  func makeAsyncIterator() -> Iterator { Iterator(chunks: self) }

  struct Iterator: AsyncIteratorProtocol {
    fileprivate let chunks: ForeignChunks
    private var transfer: (any ForeignTransfer)?

    fileprivate init(chunks: ForeignChunks) {
      self.chunks = chunks
    }

    mutating func next() async throws -> ArraySlice<UInt8>? {
      if transfer == nil { transfer = try await chunks.content.transfer(of: chunks.name) }
      guard let transfer else { throw DesktopError.sourceClosed }
      return try await transfer.nextBytes(limit: chunks.limit)
    }
  }
}

/// The variables of this process's environment.
enum ProcessVariables {
  static func value(of name: String) -> String? { getenv(name).map { String(cString: $0) } }

  static func values(of names: [String]) -> [String: String] {
    Dictionary(uniqueKeysWithValues: names.compactMap { name in value(of: name).map { (name, $0) } })
  }
}
