// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropSystem
import Foundation
import Synchronization
import TestSupport

/// A source of drags that knows nothing of this package: it sends the messages of XDND itself, without a pointer.
///
/// It owns the selection of drags, and responds to requests from a list of values. A type without a value is offered,
/// but its requests get no response, unless they are refused.
final class ForeignSource: Sendable {
  private let connection: X11Connection
  private let window: X11Identifier
  private let atoms: [X11Atom]
  private let names: [String]
  private let values: [String: Data]
  private let refused: Set<String>
  private let serving = Lock<Task<Void, Never>?>(nil)
  private let statuses = Collector<Void>()
  private let endings = Collector<Bool>()
  /// The types that were requested, in their order.
  let requested = Collector<String>()

  private static let messages = [
    "XdndSelection", "XdndTypeList", "XdndEnter", "XdndPosition", "XdndDrop", "XdndStatus", "XdndFinished",
    "XdndActionCopy", directSave, "text/plain",
  ]
  private static let directSave = "XdndDirectSave0"

  /// Opens the window of a source.
  ///
  /// - Parameters:
  ///   - address: The display.
  ///   - values: The offered types, best first; requests for a type without a value get no response.
  ///   - refused: The types whose requests are refused.
  ///   - savedName: The name of a file that the source saves for the target, but never writes.
  /// - Throws: The errors of the connection.
  init(
    _ address: DisplayAddress, _ values: [(String, Data?)], refusing refused: Set<String> = [], savedName: String? = nil
  ) async throws {
    connection = try await X11Connection.open(address, timeout: .seconds(60))
    names = values.map(\.0) + (savedName == nil ? [] : [Self.directSave])
    self.refused = refused
    self.values = Dictionary(uniqueKeysWithValues: values.compactMap { name, value in value.map { (name, $0) } })
    atoms = try await connection.intern(Self.messages)
    window = try connection.newIdentifier()
    try connection.send(
      .createWindow(
        window, parent: connection.screen.root, frame: X11Rectangle(x: -9, y: -9, width: 1, height: 1),
        attributes: X11WindowAttributes(overridesRedirect: true, events: [.propertyChange])))
    let types = try await connection.intern(names)
    try connection.send(.changeProperty(window, atoms[1], type: .atom, .atoms(types)))
    if let savedName {
      try connection.send(.changeProperty(window, atoms[8], type: atoms[9], .bytes(ArraySlice(savedName.utf8))))
    }
    let task = Task { await serve() }
    serving.withLock { $0 = task }
  }

  deinit {
    connection.close()
  }

  /// Drops the content on a window.
  ///
  /// - Parameters:
  ///   - target: The window.
  ///   - x: The horizontal location on the screen, in pixels.
  ///   - y: The vertical location on the screen, in pixels.
  /// - Returns: Whether the target has reported success.
  /// - Throws: The errors of the connection.
  func drop(on target: X11Identifier, x: Int, y: Int) async throws -> Bool {
    try connection.send(.setSelectionOwner(window, selection: atoms[0], time: .current))
    func send(_ message: Int, _ words: [UInt32]) throws {
      try connection.send(
        .sendEvent(
          X11ClientMessage(window: target, type: atoms[message], data: .words32([window.rawValue] + words)), to: target)
      )
    }
    try send(2, [5 << 24 | 1, 0, 0, 0])
    let (statusCount, endingCount) = (statuses.values.count, endings.values.count)
    try send(3, [0, UInt32(x) << 16 | UInt32(y), 0, atoms[7].rawValue])
    try await wait(for: "the status of the target") { statuses.values.count > statusCount }
    try send(4, [0, 0])
    try await wait(for: "the end of the drop") { endings.values.count > endingCount }
    return endings.values[endingCount]
  }

  private func serve() async {
    while let event = try? await connection.nextEvent() {
      switch event.kind {
      case .clientMessage(let message) where message.type == atoms[5]: statuses.add(())
      case .clientMessage(let message) where message.type == atoms[6]:
        guard case .words32(let words) = message.data else { continue }
        endings.add(words[1] & 1 != 0)
      case .selectionRequest(let request): try? await respond(to: request)
      default: continue
      }
    }
  }

  /// Creates the empty file that the target has chosen, and returns the report that it is saved.
  private func savedFile() async throws -> Data? {
    let property = try await connection.response(to: .getProperty(window, atoms[8], limit: 4096))
    guard case .bytes(let bytes) = property.data, let url = URL(string: String(decoding: bytes, as: UTF8.self)),
      FileManager.default.createFile(atPath: url.path, contents: nil)
    else { return nil }
    return Data("S".utf8)
  }

  private func respond(to request: X11SelectionRequestEvent) async throws {
    let name = try await connection.names(of: [request.target]).first.flatMap { $0 } ?? ""
    requested.add(name)
    let value = name == Self.directSave ? try await savedFile() : values[name]
    if value == nil, names.contains(name), !refused.contains(name) { return }
    if let value {
      try connection.send(
        .changeProperty(request.requestor, request.property, type: request.target, .bytes(ArraySlice(value))))
    }
    try connection.send(
      .sendEvent(
        X11SelectionNotifyEvent(
          time: request.time, requestor: request.requestor, selection: request.selection, target: request.target,
          property: value == nil ? .none : request.property), to: request.requestor))
  }
}
