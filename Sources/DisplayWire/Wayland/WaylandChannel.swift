// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

/// The limits that protect a connection from a compositor that sends too much, or does not read.
package struct WaylandLimits: Sendable, Hashable {
  /// The maximum number of queued bytes of requests that are not yet written.
  package var queuedBytes: Int
  /// The maximum number of events that the program has not read yet.
  package var events: Int
  /// The maximum number of objects, with those whose end the compositor has not confirmed.
  package var objects: Int
  /// The maximum number of descriptors that wait to be written, and the same number for those that wait to be read.
  package var descriptors: Int

  /// Creates limits.
  package init(
    queuedBytes: Int = 16 << 20, events: Int = 65_536, objects: Int = 65_536, descriptors: Int = 1024
  ) {
    self.queuedBytes = queuedBytes
    self.events = events
    self.objects = objects
    self.descriptors = descriptors
  }
}

typealias WaylandChannel = ConnectionChannel<WaylandState>

extension ConnectionChannel<WaylandState> {
  /// Waits until the compositor has processed all earlier requests.
  func synchronize() async throws(DisplayError) {
    let completion = Completion<Void>()
    try queue { (state) throws(DisplayError) in try state.queueSynchronization(completion) }
    try await completion.value()
  }

  /// Reads and writes the socket until the connection ends.
  ///
  /// - Throws: The error that ends the connection.
  func run(_ descriptor: consuming OwnedDescriptor) throws(DisplayError) {
    var socket = ConnectionSocket(descriptor, to: "compositor")
    var decoder = WaylandDecoder()
    while try socket.step(self, &decoder) {
      change { state, delivery in state.receive(from: &decoder, into: &delivery) }
    }
  }
}

/// The state that a connection to a compositor shares with its thread.
struct WaylandState: ConnectionState {
  /// The maximum length of a request in bytes, which is the limit of most compositors.
  static let maximumRequestBytes = 4096

  let limits: WaylandLimits
  var output = OutputQueue()
  var inbox = EventInbox<WaylandEvent>()
  var deadline: ContinuousClock.Instant?
  var ending: DisplayError?
  private var objects: WaylandObjects
  private var synchronizations: [WaylandObject: Completion<Void>] = [:]
  private(set) var globals: [WaylandGlobal] = []
  /// The number of descriptors in ``inbox``.
  private var unreadDescriptors = 0

  init(limits: WaylandLimits) {
    self.limits = limits
    objects = WaylandObjects(limit: limits.objects)
  }

  // MARK: Requests

  /// Returns the version of an object; `nil` if it is destroyed.
  func version(of object: WaylandObject) -> UInt32? { objects.live(object)?.version }

  /// Queues a request.
  ///
  /// - Parameters:
  ///   - object: The object.
  ///   - name: The name of the request.
  ///   - arguments: The arguments without the new object.
  ///   - created: The interface and the version of the new object, if the request names them.
  /// - Returns: The new object, if the request creates one.
  /// - Throws: The reason why the connection ended; `limitExceeded`; `requestFailed` for a destroyed object, or for a
  ///   request or arguments that the interface does not have.
  mutating func queue(
    _ object: WaylandObject, _ name: String, _ arguments: [WaylandArgument],
    creating created: (interface: WaylandInterface, version: UInt32)? = nil
  ) throws(DisplayError) -> WaylandObject? {
    if let ending { throw ending }
    guard let entry = objects.live(object) else {
      throw DisplayError(.requestFailed, "\(object) is destroyed and cannot \(name)")
    }
    guard let opcode = object.interface.requests.firstIndex(where: { $0.name == name }) else {
      throw DisplayError(.requestFailed, "\(object.interface) has no request \(name)")
    }
    let request = object.interface.requests[opcode]
    guard request.since <= entry.version else {
      throw DisplayError(
        .requestFailed, "\(name) needs version \(request.since) of \(object.interface) instead of \(entry.version)")
    }
    var new: WaylandObject?
    if request.parameters.contains(where: { $0.kind == .new }) {
      let created = created ?? request.created.flatMap(WaylandInterface.named).map { ($0, entry.version) }
      guard let created else {
        throw DisplayError(.requestFailed, "\(name) of \(object.interface) creates an unsupported object")
      }
      // An object has no version of its own above the highest of its interface.
      new = try objects.create(created.interface, version: min(created.version, created.interface.version))
    }
    do throws(DisplayError) {
      try append(try encode(request, of: object, opcode, arguments, new))
    } catch {
      if let new { objects.withdraw(new) }
      throw error
    }
    if request.isDestructor { objects.destroy(object.id) }
    return new
  }

  private func encode(
    _ request: WaylandInterface.Message, of object: WaylandObject, _ opcode: Int, _ arguments: [WaylandArgument],
    _ new: WaylandObject?
  ) throws(DisplayError) -> OutputBatch {
    var writer = X11Writer()
    var descriptors: [WaylandDescriptor] = []
    var rest = arguments[...]
    for parameter in request.parameters {
      if parameter.kind == .new, let new {
        writer.writeHost32(new.id)
        continue
      }
      switch (parameter.kind, rest.popFirst()) {
      case (.int, .int(let value)?): writer.writeHost32(UInt32(bitPattern: value))
      case (.uint, .uint(let value)?): writer.writeHost32(value)
      case (.fixed, .fixed(let value)?): writer.writeFixed(value)
      case (.string, .string(let value)?) where value != nil || parameter.isNullable:
        guard value?.utf8.contains(0) != true else {
          throw DisplayError(.requestFailed, "string of \(request.name) contains a zero byte")
        }
        writer.writeWayland(value)
      case (.object, .object(nil)?) where parameter.isNullable: writer.writeHost32(0)
      case (.object, .object(let value?)?):
        guard objects.live(value) != nil else {
          throw DisplayError(.requestFailed, "\(value) is destroyed, which \(request.name) of \(object) names")
        }
        writer.writeHost32(value.id)
      case (.array, .array(let value)?): writer.writeWaylandArray(value)
      case (.descriptor, .descriptor(let value)?):
        // The caller may still hold the argument, and must not close the descriptor before it is sent.
        guard let taken = value.transfer() else {
          throw DisplayError(.requestFailed, "the descriptor of \(request.name) was taken before")
        }
        descriptors.append(taken)
      default:
        throw DisplayError(.requestFailed, "\(request.name) of \(object.interface) has other parameters")
      }
    }
    guard rest.isEmpty else {
      throw DisplayError(.requestFailed, "\(request.name) of \(object.interface) has fewer parameters")
    }
    let size = WaylandMessage.headerSize + writer.bytes.count
    guard size <= Self.maximumRequestBytes else {
      throw DisplayError(
        .limitExceeded, "\(request.name) of \(size) bytes exceeds the limit of \(Self.maximumRequestBytes)")
    }
    var header = X11Writer()
    header.writeHost32(object.id)
    header.writeHost32(UInt32(size) << 16 | UInt32(opcode))
    return OutputBatch(bytes: header.bytes + writer.bytes, descriptors: descriptors)
  }

  private mutating func append(_ request: OutputBatch) throws(DisplayError) {
    guard request.bytes.count <= limits.queuedBytes - output.byteCount,
      request.descriptors.count <= limits.descriptors - output.descriptorCount
    else {
      throw DisplayError(
        .limitExceeded,
        """
        the compositor has not read \(output.byteCount) bytes and \(output.descriptorCount) descriptors; the limits are \(limits.queuedBytes) and \(limits.descriptors)
        """)
    }
    output.append(request.bytes, request.descriptors)
  }

  /// Queues a request whose response completes a wait.
  mutating func queueSynchronization(_ completion: Completion<Void>) throws(DisplayError) {
    guard let callback = try queue(WaylandObjects.display, "sync", []) else { return }
    synchronizations[callback] = completion
  }

  // MARK: Messages of the compositor

  /// Processes all messages that have arrived completely.
  ///
  /// A protocol violation of the compositor ends the connection.
  mutating func receive(from decoder: inout WaylandDecoder, into delivery: inout Delivery) {
    while ending == nil {
      let offset = decoder.offset
      do throws(X11SyntaxError) {
        guard let message = try decoder.next() else { break }
        try receive(message, &decoder, into: &delivery)
      } catch {
        end(.violation("byte \(offset + UInt64(error.offset)) from the compositor: \(error.reason)"), into: &delivery)
      }
    }
    if decoder.descriptorCount + unreadDescriptors > limits.descriptors {
      let count = decoder.descriptorCount + unreadDescriptors
      end(
        DisplayError(
          .limitExceeded,
          "\(count) descriptors of the compositor wait to be read; the limit is \(limits.descriptors)"),
        into: &delivery)
    }
  }

  private mutating func receive(
    _ message: WaylandMessage, _ decoder: inout WaylandDecoder, into delivery: inout Delivery
  ) throws(X11SyntaxError) {
    guard let entry = objects[message.object] else {
      throw X11SyntaxError(0, "event \(message.opcode) of the unknown object \(message.object)")
    }
    let object = entry.object
    guard object.interface.events.indices.contains(message.opcode) else {
      throw X11SyntaxError(4, "event \(message.opcode) of \(object), which has \(object.interface.events.count)")
    }
    let definition = object.interface.events[message.opcode]
    let arguments = try decode(message, definition, of: entry, &decoder)
    if definition.isDestructor { objects.destroy(object.id) }
    let event = WaylandEvent(object: object, name: definition.name, arguments: arguments)
    guard !entry.isDestroyed else { return delivery.release(event) }
    switch (object.interface, event.name) {
    case (.display, "error"):
      end(rejection(event), into: &delivery)
    case (.display, "delete_id"):
      try objects.remove(event.uint(0))
    case (.callback, _):
      guard let completion = synchronizations.removeValue(forKey: object) else {
        return add(event, into: &delivery)
      }
      delivery.add(completion, .success(()))
    case (.registry, _):
      try record(event)
      add(event, into: &delivery)
    default:
      add(event, into: &delivery)
    }
  }

  private mutating func decode(
    _ message: WaylandMessage, _ definition: WaylandInterface.Message, of entry: WaylandObjects.Entry,
    _ decoder: inout WaylandDecoder
  ) throws(X11SyntaxError) -> [WaylandArgument] {
    var body = X11Reader(message.body)
    var arguments: [WaylandArgument] = []
    do throws(X11SyntaxError) {
      for parameter in definition.parameters {
        arguments.append(try decode(parameter, &body, definition, of: entry, &decoder))
      }
      guard body.remaining == 0 else { throw X11SyntaxError(body.offset, "\(body.remaining) surplus bytes") }
    } catch {
      throw X11SyntaxError(
        WaylandMessage.headerSize + error.offset, "\(definition.name) of \(entry.object): \(error.reason)")
    }
    return arguments
  }

  private mutating func decode(
    _ parameter: WaylandInterface.Parameter, _ body: inout X11Reader, _ definition: WaylandInterface.Message,
    of entry: WaylandObjects.Entry, _ decoder: inout WaylandDecoder
  ) throws(X11SyntaxError) -> WaylandArgument {
    let offset = body.offset
    switch parameter.kind {
    case .int: return .int(Int32(bitPattern: try body.readHost32()))
    case .uint: return .uint(try body.readHost32())
    case .fixed: return .fixed(Double(Int32(bitPattern: try body.readHost32())) / 256)
    case .array: return .array(Array(try body.readWaylandArray()))
    case .string:
      let value = try body.readWaylandString()
      guard value != nil || parameter.isNullable else { throw X11SyntaxError(offset, "a string is missing") }
      return .string(value)
    case .object:
      let id = try body.readHost32()
      if id == 0 {
        guard parameter.isNullable else { throw X11SyntaxError(offset, "an object is missing") }
        return .object(nil)
      }
      guard let named = objects[id] else { throw X11SyntaxError(offset, "unknown object \(id)") }
      return .object(named.isDestroyed ? nil : named.object)
    case .new:
      guard let interface = definition.created.flatMap(WaylandInterface.named) else {
        throw X11SyntaxError(offset, "new object without an interface")
      }
      let version = min(entry.version, interface.version)
      return .new(
        try objects.accept(
          try body.readHost32(), interface, version: version, isDestroyed: entry.isDestroyed, at: offset))
    case .descriptor:
      guard let descriptor = decoder.nextDescriptor() else { throw X11SyntaxError(offset, "a descriptor is missing") }
      return .descriptor(descriptor)
    }
  }

  /// Returns the error that the compositor reports before it closes the connection.
  private func rejection(_ event: WaylandEvent) -> DisplayError {
    let id = event.uint(0)
    let object = objects[id].map { "\($0.object)" } ?? "object \(id)"
    let words = (event.string(2) ?? "").escapedForDisplay().split(separator: "\n").joined(separator: " ")
    return DisplayError(
      .requestFailed, "the compositor rejected a request: error \(event.uint(1)) of \(object): \(words)")
  }

  private mutating func record(_ event: WaylandEvent) throws(X11SyntaxError) {
    let name = event.uint(0)
    globals.removeAll { $0.name == name }
    guard event.name == "global" else { return }
    guard globals.count < limits.objects else {
      throw X11SyntaxError(0, "more than \(limits.objects) globals")
    }
    globals.append(WaylandGlobal(name: name, interface: event.string(1) ?? "", version: event.uint(2)))
  }

  // MARK: Events

  private mutating func add(_ event: WaylandEvent, into delivery: inout Delivery) {
    guard inbox.count < limits.events else {
      removeEvents(into: &delivery)
      end(
        DisplayError(.limitExceeded, "more than \(limits.events) events of the compositor wait to be read"),
        into: &delivery)
      return
    }
    inbox.add(event, into: &delivery)
    unreadDescriptors += event.descriptorCount
  }

  mutating func takeEvent() throws(DisplayError) -> WaylandEvent? {
    let event = try popEvent()
    unreadDescriptors -= event?.descriptorCount ?? 0
    return event
  }

  /// Removes all events that were not read.
  mutating func removeEvents(into delivery: inout Delivery) {
    inbox.removeAll(into: &delivery)
    unreadDescriptors = 0
  }

  mutating func failWaits(_ reason: DisplayError, into delivery: inout Delivery) {
    for completion in synchronizations.values { delivery.add(completion, .failure(reason)) }
    synchronizations = [:]
  }
}
