// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DisplayWire
internal import DropSystem
internal import Glibc
internal import Synchronization

/// A request that a fake compositor has received.
package struct FakeWaylandRequest: Sendable {
  /// The number of the object.
  package let object: UInt32
  /// The interface of the object.
  package let interface: WaylandInterface
  /// The name of the request.
  package let name: String
  /// The arguments; objects and new objects are numbers.
  package let arguments: [WaylandArgument]

  /// Returns an unsigned number, or the number of an object.
  package func uint(_ index: Int) -> UInt32 {
    if index < arguments.count, case .uint(let value) = arguments[index] { value } else { 0 }
  }

  /// Returns a signed number.
  package func int(_ index: Int) -> Int32 {
    if index < arguments.count, case .int(let value) = arguments[index] { value } else { 0 }
  }

  /// Returns a number in units of 1/256.
  package func fixed(_ index: Int) -> Double {
    if index < arguments.count, case .fixed(let value) = arguments[index] { value } else { 0 }
  }

  /// Returns a string.
  package func string(_ index: Int) -> String? {
    if index < arguments.count, case .string(let value) = arguments[index] { value } else { nil }
  }

  /// Returns a descriptor, which is closed with the last reference to the request unless it is taken.
  package func descriptor(_ index: Int) -> WaylandDescriptor? {
    if index < arguments.count, case .descriptor(let value) = arguments[index] { value } else { nil }
  }
}

/// A Wayland compositor that runs in the test, which can violate the protocol in any way.
///
/// It records all requests and objects. It responds to `sync`, announces its globals, and confirms the end of objects.
/// Its thread ends when either side closes the connection.
package final class FakeCompositor: Sendable {
  /// A closure that reacts to a request, and returns whether the compositor does not react itself.
  package typealias Handler = @Sendable (FakeWaylandRequest, FakeCompositor) -> Bool

  /// The globals that a window and a clipboard need.
  package static let desktop: [WaylandInterface] = [
    .compositor, .shm, .seat, .output, .dataDeviceManager, .windowBase, .primarySelectionManager,
    .wlrDataControlManager,
  ]

  private struct State {
    var requests: [FakeWaylandRequest] = []
    var objects: [UInt32: WaylandInterface] = [1: .display]
    var nextID: UInt32 = 0xFF00_0000
    var isClosed = false
  }

  /// The client's end of the socket pair.
  private let client: WaylandDescriptor?
  private let listener: WaylandDescriptor?
  private let connection: Lock<WaylandDescriptor?>
  private let globals: [(interface: WaylandInterface, version: UInt32)]
  private let handler: Handler
  private let state = Lock(State())
  private let writing = Lock(())

  /// Starts a compositor at one end of a socket pair, and runs the handler on its thread.
  package convenience init(
    globals: [WaylandInterface] = desktop, handler: @escaping Handler = { _, _ in false }
  ) throws {
    try self.init(globals: globals.map { ($0, $0.version) }, handler: handler)
  }

  /// Starts a compositor that offers globals of other versions.
  package init(
    globals: [(interface: WaylandInterface, version: UInt32)], handler: @escaping Handler = { _, _ in false }
  ) throws {
    let (server, client) = try SystemCalls.socketPair()
    self.client = WaylandDescriptor(OwnedDescriptor(client))
    listener = nil
    connection = Lock(WaylandDescriptor(OwnedDescriptor(server)))
    self.globals = globals
    self.handler = handler
    BlockingExecutor.startThread { self.run() }
  }

  /// Starts a compositor that accepts one connection at the path of a socket.
  package init(
    listeningAt path: String, globals: [WaylandInterface] = desktop, handler: @escaping Handler = { _, _ in false }
  ) throws {
    let socket = OwnedDescriptor(try SystemCalls.socket())
    try SystemCalls.bind(socket.raw, path)
    try SystemCalls.listen(socket.raw, 1)
    client = nil
    listener = WaylandDescriptor(socket)
    connection = Lock(nil)
    self.globals = globals.map { ($0, $0.version) }
    self.handler = handler
    BlockingExecutor.startThread { self.run() }
  }

  /// Connects a client to this compositor, which must not listen at a path.
  package func connect(
    timeout: Duration = .seconds(60), limits: WaylandLimits = .init()
  ) async throws(DisplayError) -> WaylandConnection {
    guard let socket = client?.take() else { throw DisplayError(.unreachable, "the socket pair has no client's end") }
    return try await WaylandConnection.open(socket: socket, timeout: timeout, limits: limits)
  }

  /// Returns the client's end of the socket pair, as an inherited descriptor; `nil` if it was taken before.
  package func takeClient() -> CInt? { client?.take()?.release() }

  // MARK: Recorded values

  /// The requests in the order of their arrival, except those of the display.
  package var requests: [FakeWaylandRequest] { state.withLock { $0.requests } }

  /// Whether the connection is closed.
  package var isClosed: Bool { state.withLock { $0.isClosed } }

  /// The number of objects that exist.
  package var objectCount: Int { state.withLock { $0.objects.count } }

  /// Returns the number of the last object of an interface; `nil` if the client has none.
  package func object(_ interface: WaylandInterface) -> UInt32? {
    state.withLock { $0.objects.filter { $0.value == interface }.keys.max() }
  }

  /// Waits until the client has sent a request a number of times, and returns the last of these requests.
  package func request(
    _ interface: WaylandInterface, _ name: String, count: Int = 1
  ) async throws -> FakeWaylandRequest {
    var found: [FakeWaylandRequest] = []
    try await wait(
      for: "\(interface).\(name)", details: { "\(self.requests.map { "\($0.interface).\($0.name)" })" },
      until: {
        found = self.requests.filter { $0.interface == interface && $0.name == name }
        return found.count >= count || self.isClosed
      })
    guard found.count >= count else { throw WaitTimedOut("\(interface).\(name)", within: .zero, "the client has gone") }
    return found[count - 1]
  }

  // MARK: Output

  /// Returns a new number for an object of the compositor, which is one of an interface from now on.
  package func newObject(_ interface: WaylandInterface) -> UInt32 {
    state.withLock { state in
      defer { state.nextID += 1 }
      state.objects[state.nextID] = interface
      return state.nextID
    }
  }

  /// Sends an event; objects and new objects are numbers.
  package func send(
    _ object: UInt32, _ interface: WaylandInterface, _ event: String, _ arguments: WaylandArgument...
  ) {
    send(object, interface, event, arguments)
  }

  /// Sends an event with a list of arguments.
  package func send(
    _ object: UInt32, _ interface: WaylandInterface, _ event: String, _ arguments: [WaylandArgument]
  ) {
    guard let opcode = interface.events.firstIndex(where: { $0.name == event }) else { return }
    var writer = X11Writer()
    var descriptors: [WaylandDescriptor] = []
    for argument in arguments {
      switch argument {
      case .int(let value): writer.writeHost32(UInt32(bitPattern: value))
      case .uint(let value): writer.writeHost32(value)
      case .fixed(let value): writer.writeFixed(value)
      case .string(let value): writer.writeWayland(value)
      case .array(let value): writer.writeWaylandArray(value)
      case .object(let value): writer.writeHost32(value?.id ?? 0)
      case .new(let value): writer.writeHost32(value.id)
      case .descriptor(let value): descriptors.append(value)
      }
    }
    send(Self.message(object, opcode, writer.bytes), descriptors)
  }

  /// Returns a message with a correct length.
  package static func message(_ object: UInt32, _ opcode: Int, _ body: [UInt8] = []) -> [UInt8] {
    var writer = X11Writer()
    writer.writeHost32(object)
    writer.writeHost32(UInt32(WaylandMessage.headerSize + body.count) << 16 | UInt32(opcode))
    writer.write(body)
    return writer.bytes
  }

  /// Sends bytes unchanged with descriptors, and waits until the socket has accepted them or the client has gone.
  package func send(_ bytes: [UInt8], _ descriptors: [WaylandDescriptor] = []) {
    writing.withLock { _ in
      guard let socket = connection.withLock({ $0?.raw }) else { return }
      var offset = 0
      var numbers = descriptors.compactMap(\.raw)
      while offset < bytes.count {
        var ready = [pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)]
        _ = try? SystemCalls.poll(&ready, -1)
        let count = bytes.withUnsafeBytes { buffer in
          Result { () throws(SystemError) in
            try SystemCalls.send(socket, UnsafeRawBufferPointer(rebasing: buffer[offset...]), with: numbers)
          }
        }
        switch count {
        case .success(let count):
          offset += count
          numbers = []
        case .failure(let error):
          guard error.errorNumber == EAGAIN else { return }
        }
      }
    }
  }

  /// Closes the connection.
  package func close() {
    if let socket = connection.withLock({ $0?.raw }) { shutdown(socket, CInt(SHUT_RDWR)) }
    if let socket = listener?.raw { shutdown(socket, CInt(SHUT_RDWR)) }
  }

  // MARK: Thread

  private func run() {
    defer {
      state.withLock { $0.isClosed = true }
      close()
    }
    if let raw = listener?.raw {
      guard let accepted = try? SystemCalls.accept(raw) else { return }
      let socket = WaylandDescriptor(OwnedDescriptor(accepted))
      connection.withLock { $0 = socket }
    }
    guard let socket = connection.withLock({ $0?.raw }) else { return }
    var decoder = WaylandDecoder()
    while true {
      let count = try? decoder.receive { (buffer, descriptors) throws(SystemError) in
        try SystemCalls.receive(socket, buffer, descriptors: &descriptors, 0)
      }
      guard let count, count > 0 else { return }
      do {
        while let message = try decoder.next() {
          guard let request = try decode(message, &decoder) else { return }
          react(to: request)
        }
      } catch {
        return
      }
    }
  }

  /// Returns a request; `nil` for an object or a request that does not exist.
  private func decode(
    _ message: WaylandMessage, _ decoder: inout WaylandDecoder
  ) throws(X11SyntaxError) -> FakeWaylandRequest? {
    guard let interface = state.withLock({ $0.objects[message.object] }),
      interface.requests.indices.contains(message.opcode)
    else { return nil }
    let definition = interface.requests[message.opcode]
    var body = X11Reader(message.body)
    var arguments: [WaylandArgument] = []
    for parameter in definition.parameters {
      switch parameter.kind {
      case .int: arguments.append(.int(Int32(bitPattern: try body.readHost32())))
      case .fixed: arguments.append(.fixed(Double(Int32(bitPattern: try body.readHost32())) / 256))
      case .string: arguments.append(.string(try body.readWaylandString()))
      case .array: arguments.append(.array(Array(try body.readWaylandArray())))
      case .uint, .object: arguments.append(.uint(try body.readHost32()))
      case .new:
        let id = try body.readHost32()
        // The registry names the interface itself.
        var name = definition.created
        if name == nil, arguments.count > 1, case .string(let named) = arguments[1] { name = named }
        let interface = name.flatMap(WaylandInterface.named)
        state.withLock { $0.objects[id] = interface }
        arguments.append(.uint(id))
      case .descriptor:
        guard let descriptor = decoder.nextDescriptor() else { return nil }
        arguments.append(.descriptor(descriptor))
      }
    }
    return FakeWaylandRequest(
      object: message.object, interface: interface, name: definition.name, arguments: arguments)
  }

  private func react(to request: FakeWaylandRequest) {
    if request.interface != .display { state.withLock { $0.requests.append(request) } }
    guard !handler(request, self) else { return }
    switch (request.interface, request.name) {
    case (.display, "sync"): finish(request.uint(0), request.uint(0))
    case (.display, "get_registry"):
      for (index, global) in globals.enumerated() {
        send(
          request.uint(0), .registry, "global", .uint(UInt32(index + 1)), .string(global.interface.name),
          .uint(global.version))
      }
    default:
      let isDestructor = request.interface.requests.contains { $0.name == request.name && $0.isDestructor }
      if isDestructor { delete(request.object) }
    }
  }

  /// Sends the event of a callback, such as that of a frame, and confirms its end.
  package func finish(_ callback: UInt32, _ value: UInt32 = 0) {
    state.withLock { $0.objects[callback] = nil }
    var (done, end) = (X11Writer(), X11Writer())
    done.writeHost32(value)
    end.writeHost32(callback)
    // Together, so that nothing follows when a client has synchronized.
    send(Self.message(callback, 0, done.bytes) + Self.message(1, 1, end.bytes))
  }

  /// Removes an object, and confirms the end of an object of the client.
  package func delete(_ object: UInt32) {
    state.withLock { $0.objects[object] = nil }
    if object < 0xFF00_0000 { send(1, .display, "delete_id", .uint(object)) }
  }
}
