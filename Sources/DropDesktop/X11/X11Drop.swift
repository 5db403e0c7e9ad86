// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import DropTransport
internal import FoundationEssentials
internal import ItemTransfer
internal import UniformTypes

/// A drop on a window of an X11 display.
struct X11Drop: ForeignDrop {
  let display: X11Display
  let atoms: DragAtoms
  /// The window of the target.
  let window: X11Identifier
  let offer: DragOffer

  /// The reader of the selection, which requests content with the time of the drop.
  var content: any ForeignContent { reader }

  private var reader: SelectionReader {
    SelectionReader(display: display, selection: atoms[.selection], time: offer.time)
  }

  /// Requests a drop stream, a direct save, or the other content.
  ///
  /// - Throws: The errors of the selection, of the direct save, and of a drop stream.
  func load(_ names: [String], in directory: URL?, progress: ItemProgress) async throws -> LoadedDrop {
    let reader = reader
    let others = names.filter { ![DirectSave.target, DroppedItemSummary.target].contains($0) }
    guard names.contains(DirectSave.target), !others.contains(TargetName.drop) else {
      return LoadedDrop(try await IncomingItems(content: reader, names: others, progress: progress).items())
    }
    let save = DirectSaveRequest(display: display, atoms: atoms, source: offer.source, reader: reader)
    let name = try await save.suggestedName()
    if let name, let file = try await save.file(name, in: directory) {
      return LoadedDrop([await runBlocking { ItemProvider(unlinked: file.url) }], saved: file)
    }
    guard let name, others.contains(DragContent.anyBytes), !others.contains(TargetName.uriList) else {
      return LoadedDrop(try await IncomingItems(content: reader, names: others).items())
    }
    // The bytes have no type, so the name determines it.
    let item = ItemProvider(suggestedName: name)
    item.registerStream(UTType.identify(fileNamed: name).type) { _ in
      reader.chunks(of: DragContent.anyBytes).map { Data($0) }
    }
    return LoadedDrop([item])
  }

  func check(_ action: DropAction) async throws {
    do {
      _ = try await display.connection.response(to: .getGeometry(offer.source))
    } catch  where error.code == .requestFailed {
      throw DesktopError(.sourceFailed, "the program that the drop came from was closed")
    } catch {
      throw DesktopError(error)
    }
  }

  func end(accepting action: DropAction?) {
    let message = DragMessage.finished(target: window, isAccepted: action != nil, action: action)
    try? display.connection.send(.sendEvent(message.encoded(for: offer.source, atoms), to: offer.source))
  }
}

/// A request to a source to save its item in a file, by the protocol XDS.
struct DirectSaveRequest: Sendable {
  let display: X11Display
  let atoms: DragAtoms
  let source: X11Identifier
  let reader: SelectionReader

  /// Returns the file name that the source suggests; `nil` if it is missing or invalid.
  func suggestedName() async throws -> String? {
    let property = try? await display.connection.response(
      to: .getProperty(source, atoms[.directSave], limit: 1024))
    guard let property, property.remainingBytes == 0, case .bytes(let bytes) = property.data,
      let name = String(validating: bytes[..<(bytes.firstIndex(of: 0) ?? bytes.endIndex)], as: UTF8.self),
      DropFileName.objection(to: name, allowsHidden: false) == nil
    else { return nil }
    return name
  }

  /// Chooses a file, and waits until the source has saved it.
  ///
  /// - Parameters:
  ///   - name: A valid file name.
  ///   - parent: The parent of the private directory.
  /// - Returns: The file; `nil` if the source cannot save at the address, but may send the bytes.
  /// - Throws: `sourceFailed` if the source reports an error or a missing file; `timedOut` if it does not finish the
  ///   file; the errors of the selection; `FileError`.
  func file(_ name: String, in parent: URL?) async throws -> SavedFile? {
    let file = try await runBlocking { try SavedFile(name, in: parent) }
    let source = source
    let closures = display.router.events(limit: 1) { $0.closedWindow == source ? true : nil }
    try display.watch(source)
    do {
      try display.connection.send(
        .changeProperty(source, atoms[.directSave], type: atoms[.plainText], .bytes(ArraySlice(file.address.utf8))))
      let response = try await reader.data(of: DirectSave.target, limit: 64)
      switch DirectSaveResult(rawValue: String(decoding: response, as: UTF8.self)) {
      case .unreachable:
        await file.remove()
        return nil
      case .saved:
        try await awaitContent(of: file, closures)
        return file
      case .failed, nil:
        throw DesktopError(.sourceFailed, "the source has failed to save the file")
      }
    } catch {
      await file.remove()
      throw error
    }
  }

  /// Waits until the source has written the file and has closed it.
  ///
  /// Firefox reports a saved file when it has created the empty file, and writes the content later. An empty file is
  /// therefore accepted only after 5 s.
  ///
  /// - Parameters:
  ///   - file: The file.
  ///   - closures: A queue with an element once the window of the source is closed.
  /// - Throws: `sourceFailed` if the file does not exist, or the source was closed; `timedOut`.
  private func awaitContent(of file: SavedFile, _ closures: AsyncQueue<Bool>) async throws {
    let interval = Duration.milliseconds(20)
    let limit = display.options.idleTimeout
    var length: Int64 = 0
    // The time is counted in waits, so that a busy machine does not shorten it.
    var idleTime = Duration.zero
    while true {
      let isClosed = closures.count > 0
      guard let state = try await runBlocking({ try file.state() }) else {
        throw DesktopError(.sourceFailed, "the source has reported a saved file that does not exist")
      }
      if !state.isOpen, state.length > 0 || idleTime >= min(.seconds(5), limit) { return }
      if isClosed { throw DesktopError.sourceClosed }
      if state.length != length { (length, idleTime) = (state.length, .zero) }
      guard idleTime < limit else {
        throw DesktopError(.timedOut, "the source has not finished the file that it has reported as saved")
      }
      try await Task.sleep(for: interval)
      idleTime += interval
    }
  }
}
