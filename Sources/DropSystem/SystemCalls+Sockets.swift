// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import CDropShims
internal import Glibc

/// Local sockets, and the descriptors passed through them.
extension SystemCalls {
  /// Creates a local stream socket.
  package static func socket() throws(SystemError) -> CInt {
    try valueOrErrno("socket") { DescriptorReserve.admit(dragpipe_socket()) }
  }

  /// Creates two connected local stream sockets.
  package static func socketPair() throws(SystemError) -> (CInt, CInt) {
    var ends: [CInt] = [-1, -1]
    _ = try valueOrErrno("socketpair") {
      socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0, &ends)
    }
    return try admitting(ends, from: "socketpair")
  }

  /// The maximum length of a socket's path, in bytes.
  package static let socketPathLength = dragpipe_socket_path_length

  /// Binds a socket to a path.
  package static func bind(_ socket: CInt, _ path: String) throws(SystemError) {
    _ = try valueOrErrno("bind") { dragpipe_bind(socket, path) }
  }

  /// Connects a socket to a path.
  package static func connect(_ socket: CInt, _ path: String) throws(SystemError) {
    _ = try valueOrErrno("connect") { dragpipe_connect(socket, path) }
  }

  /// Connects a socket to an abstract socket, whose name has no file.
  package static func connectAbstract(_ socket: CInt, _ name: String) throws(SystemError) {
    _ = try valueOrErrno("connect") { dragpipe_connect_abstract(socket, name) }
  }

  /// Connects a new socket to a TCP port of a host.
  ///
  /// The timeout applies to each attempt to connect, and later to each send through the socket. The lookup of the
  /// host's name has the timeouts of the resolver.
  ///
  /// - Throws: `EADDRNOTAVAIL` if the lookup fails, as for an unknown host; otherwise the error of the last attempt.
  package static func connectNetwork(
    _ host: String, port: UInt16, milliseconds: CInt
  ) throws(SystemError) -> CInt {
    try valueOrErrno("connect") { DescriptorReserve.admit(dragpipe_connect_network(host, port, milliseconds)) }
  }

  /// Returns the IP address at the other end: 4 or 16 bytes; empty if the socket is not an IP socket.
  package static func networkPeer(of socket: CInt) throws(SystemError) -> [UInt8] {
    var address = [UInt8](repeating: 0, count: 16)
    let count = try valueOrErrno("getpeername") { dragpipe_network_peer(socket, &address) }
    return Array(address.prefix(Int(count)))
  }

  /// Makes calls that send, and calls that connect a local socket, fail with EAGAIN after `limit`.
  package static func setSendTimeout(_ socket: CInt, _ limit: Duration) throws(SystemError) {
    let (seconds, attoseconds) = limit.components
    var time = timeval(tv_sec: Int(seconds), tv_usec: Int(attoseconds / 1_000_000_000_000))
    _ = try valueOrErrno("setsockopt") {
      setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }
  }

  /// Sets or clears the non-blocking mode.
  ///
  /// The mode belongs to the open file description, and so affects every process that shares it. Use this method only
  /// for a file description that no other process shares.
  package static func setNonBlocking(_ descriptor: CInt, _ isSet: Bool = true) throws(SystemError) {
    let flags = try control(descriptor, F_GETFL) & ~O_NONBLOCK
    _ = try control(descriptor, F_SETFL, isSet ? flags | O_NONBLOCK : flags)
  }

  /// Starts to accept connections.
  package static func listen(_ socket: CInt, _ backlog: CInt) throws(SystemError) {
    _ = try valueOrErrno("listen") { Glibc.listen(socket, backlog) }
  }

  /// Accepts a connection; waits for one if the socket is blocking.
  package static func accept(_ socket: CInt) throws(SystemError) -> CInt {
    try valueOrErrno("accept4") { DescriptorReserve.admit(dragpipe_accept(socket)) }
  }

  /// Whether a socket is a local (Unix domain) socket.
  package static func isLocalSocket(_ socket: CInt) -> Bool { dragpipe_is_local(socket) != 0 }

  /// Whether a descriptor is a local socket that listens for connections.
  package static func isListening(_ socket: CInt) -> Bool {
    isLocalSocket(socket) && dragpipe_is_listening(socket) != 0
  }

  /// Whether both descriptors refer to the same file.
  package static func isSameFile(_ one: CInt, _ other: CInt) throws(SystemError) -> Bool {
    try status(one).isSameFile(as: try status(other))
  }

  /// Returns the user and the process at the other end, as of the time of the connection.
  package static func peer(of socket: CInt) throws(SystemError) -> (user: UInt32, process: Int32) {
    var user: UInt32 = 0
    var process: Int32 = 0
    _ = try valueOrErrno("getsockopt") { dragpipe_peer(socket, &user, &process) }
    return (user, process)
  }

  /// Sends as many bytes as the socket accepts without waiting, and a descriptor with the first byte.
  package static func send(
    _ socket: CInt, _ buffer: UnsafeRawBufferPointer, with descriptor: CInt
  ) throws(SystemError) -> Int {
    try send(socket, buffer, with: [descriptor])
  }

  /// Sends as many bytes as the socket accepts without waiting, and descriptors with the first byte.
  ///
  /// - Throws: `EINVAL` for more than ``descriptorsPerCall`` descriptors.
  package static func send(
    _ socket: CInt, _ buffer: UnsafeRawBufferPointer, with descriptors: [CInt]
  ) throws(SystemError) -> Int {
    record("send", socket)
    return try valueOrErrno("sendmsg") {
      dragpipe_send_descriptors(
        socket, buffer.baseAddress, buffer.count, descriptors, CInt(clamping: descriptors.count))
    }
  }

  /// The maximum number of descriptors that one call sends or receives.
  package static let descriptorsPerCall = Int(dragpipe_descriptors_a_call)

  /// Receives bytes, and appends the descriptors that were sent with them.
  ///
  /// A -1 at the end means that this process could not accept further descriptors. The caller owns the descriptors.
  package static func receive(
    _ socket: CInt, _ buffer: UnsafeMutableRawBufferPointer, descriptors: inout [CInt], _ flags: CInt
  ) throws(SystemError) -> Int {
    // `withUnsafeTemporaryAllocation` would erase the type of the error, so the closure returns a `Result`.
    let result = withUnsafeTemporaryAllocation(of: CInt.self, capacity: descriptorsPerCall) { room in
      Result { () throws(SystemError) in
        var count: CInt = 0
        let received = try valueOrErrno("recvmsg") {
          dragpipe_receive(socket, buffer.baseAddress, buffer.count, room.baseAddress, &count, flags)
        }
        descriptors.append(contentsOf: room.prefix(Int(count)))
        return received
      }
    }
    return try result.get()
  }

  // MARK: Memory as a file

  /// Creates a file in memory, whose descriptor can be passed to another process.
  package static func memoryFile(_ name: String) throws(SystemError) -> CInt {
    try valueOrErrno("memfd_create") { DescriptorReserve.admit(dragpipe_memfd(name)) }
  }

  /// Makes a memory file immutable for all processes.
  package static func seal(_ descriptor: CInt) throws(SystemError) {
    _ = try valueOrErrno("fcntl") { dragpipe_seal(descriptor) }
  }

  /// Whether a memory file is immutable.
  package static func isSealed(_ descriptor: CInt) -> Bool { dragpipe_is_sealed(descriptor) != 0 }

  /// Seals a memory file against a smaller size, so that no process that maps it can be stopped by a bus error.
  package static func sealSize(_ descriptor: CInt) throws(SystemError) {
    _ = try valueOrErrno("fcntl") { dragpipe_seal_size(descriptor) }
  }

  /// Maps a file into memory that other processes share, for reading and writing.
  package static func mapShared(_ descriptor: CInt, _ count: Int) throws(SystemError) -> UnsafeMutableRawBufferPointer {
    let address = try valueOrErrno("mmap") {
      Int(bitPattern: mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0))
    }
    return UnsafeMutableRawBufferPointer(start: UnsafeMutableRawPointer(bitPattern: address), count: count)
  }

  /// Ends the mapping of a file.
  package static func unmap(_ memory: UnsafeMutableRawBufferPointer) {
    munmap(memory.baseAddress, memory.count)
  }
}
