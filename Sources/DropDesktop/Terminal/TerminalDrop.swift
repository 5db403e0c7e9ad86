// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer
internal import Synchronization

/// A drop on a terminal.
final class TerminalDrop: ForeignDrop {
  let display: TerminalDisplay
  /// The names of the offered types in the order of the terminal, whose numbers are those of requests.
  private let offered: [String]
  private let state = Lock(State())
  private let failure = Failure()

  private struct State {
    var isEnded = false
    /// The list of addresses, and whether its files are on the machine of the terminal.
    var addresses: (data: Data, isRemote: Bool)?
    var stream: TerminalDataStream?
  }

  /// The first error of a response, which ends the drop.
  private final class Failure: Sendable {
    let error = Lock<DesktopError?>(nil)
  }

  init(_ display: TerminalDisplay, offered: [String]) {
    (self.display, self.offered) = (display, offered)
  }

  var content: any ForeignContent { TerminalContent(drop: self) }

  func load(_ names: [String], in directory: URL?, progress: ItemProgress) async throws -> LoadedDrop {
    let names = names.filter { $0 != DroppedItemSummary.target }
    if names.contains(TargetName.uriList), !names.contains(TargetName.drop) {
      let (data, isRemote) = try await addresses()
      let entries = try URIList(parsing: data).entries
      if isRemote, entries.contains(where: URIList.isFile) {
        guard !names.contains(TargetName.rendererTaint) else {
          throw DesktopError(.malformed, "a page has chosen the addresses of the files, which is not allowed")
        }
        return try await TerminalRemoteFiles(drop: self, list: number(of: TargetName.uriList)).load(
          entries, in: directory, progress: progress)
      }
    }
    return LoadedDrop(try await IncomingItems(content: content, names: names, progress: progress).items())
  }

  /// - Throws: `notAllowed` if the files are on the machine of the terminal, since their paths lead elsewhere here.
  func checkAddresses() async throws {
    guard number(of: TargetName.uriList) > 0 else { return }
    let (data, isRemote) = try await addresses()
    if isRemote, try URIList(parsing: data).entries.contains(where: URIList.isFile) {
      throw DesktopError(.notAllowed, "the files are on the machine of the terminal, and have no address on this one")
    }
  }

  func check(_ action: DropAction) async throws {
    try check()
    if display.isGone { throw TerminalDisplay.gone }
  }

  func end(accepting action: DropAction?) {
    guard let stream = close() else { return }
    stream?.abandon()
    let message = TerminalMessage(.data, operation: action == .move ? 2 : action == nil ? 0 : 1)
    display.finishBeforeClosing { [display] in await display.sendFinally(message) }
  }

  /// Ends the drop without a report to the terminal.
  ///
  /// - Returns: The data that is being received, if any; `nil` if the drop has ended before.
  @discardableResult
  func close() -> TerminalDataStream?? {
    state.withLock { state in
      guard !state.isEnded else { return nil }
      state.isEnded = true
      return .some(state.stream)
    }
  }

  private static let ended = DesktopError(.notAllowed, "the drop has ended already")

  private func check() throws(DesktopError) {
    if state.withLock({ $0.isEnded }) { throw Self.ended }
    if let error = failure.error.withLock({ $0 }) { throw error }
  }

  // MARK: Requests

  /// Returns the names of the types.
  fileprivate var typeNames: [String] { offered }

  private func number(of name: String) -> Int { (offered.firstIndex(of: name) ?? -1) + 1 }

  /// Sends a request.
  func request(_ request: TerminalDataRequest) async throws -> TerminalDataStream {
    try check()
    let stream = try await TerminalDataStream(request, display) { [failure] error in
      failure.error.withLock { $0 = $0 ?? error }
    }
    let isEnded = state.withLock { state in
      state.stream = stream
      return state.isEnded
    }
    guard isEnded else { return stream }
    stream.abandon()
    throw Self.ended
  }

  /// Reports that the entries of a folder are not needed any more.
  func close(handle: Int) async throws {
    try await display.send(TerminalMessage(.data, upperY: handle))
  }

  fileprivate func transfer(of name: String) async throws -> any ForeignTransfer {
    if name == TargetName.uriList { return TerminalList(data: try await addresses().data) }
    guard number(of: name) > 0 else { throw DesktopError.sourceClosed }
    return TerminalTransfer(try await request(TerminalDataRequest(x: number(of: name))))
  }

  /// Returns the list of addresses, which is requested once.
  private func addresses() async throws -> (data: Data, isRemote: Bool) {
    if let known = state.withLock({ $0.addresses }) { return known }
    let stream = try await request(TerminalDataRequest(x: number(of: TargetName.uriList)))
    let transfer = TerminalTransfer(stream)
    let isRemote = try await stream.kind() == 1
    var data = Data()
    while let bytes = try await transfer.nextBytes(limit: URIList.maximumBytes) { data += bytes }
    state.withLock { [data] in $0.addresses = (data, isRemote) }
    return (data, isRemote)
  }
}

/// The content of a drop on a terminal.
private struct TerminalContent: ForeignContent {
  let drop: TerminalDrop

  var options: DesktopOptions { drop.display.options }

  func typeNames() async throws -> [String] { drop.typeNames }

  func transfer(of name: String) async throws -> (any ForeignTransfer)? { try await drop.transfer(of: name) }
}

/// A value that the terminal sends.
///
/// After the release of the object, the rest of the value is ignored.
final class TerminalTransfer: ForeignTransfer {
  let stream: TerminalDataStream

  init(_ stream: TerminalDataStream) {
    self.stream = stream
  }

  deinit {
    stream.discard()
  }

  func nextBytes(limit: Int) async throws -> ArraySlice<UInt8>? { try await stream.nextBytes(limit: limit) }
}

/// A value that has already arrived.
final class TerminalList: ForeignTransfer {
  private let data: Lock<Data?>

  init(data: Data) {
    self.data = Lock(data)
  }

  func nextBytes(limit: Int) async throws -> ArraySlice<UInt8>? {
    guard let data = data.withLock({ $0.take() }) else { return nil }
    guard data.count <= limit else {
      throw DesktopError(.limitExceeded, "the value of \(data.count) bytes exceeds the limit of \(limit) bytes")
    }
    return ArraySlice(data)
  }
}
