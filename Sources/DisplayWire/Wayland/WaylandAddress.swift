// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc
internal import Synchronization

/// The address of a Wayland compositor.
package enum WaylandAddress: Sendable, Hashable {
  /// A connected socket that this process has inherited, which can be used once.
  case inherited(descriptor: CInt)
  /// The path of a socket.
  case path(String)

  /// Returns the address in the environment.
  ///
  /// `WAYLAND_SOCKET` is the number of a connected socket. `WAYLAND_DISPLAY` is a path or, without a slash at its
  /// start, a path in the directory `XDG_RUNTIME_DIR`; it is `wayland-0` if it is not set.
  ///
  /// - Throws: `badAddress` for a malformed variable, or if `XDG_RUNTIME_DIR` is needed and not an absolute path.
  package static func from(environment: [String: String]) throws(DisplayError) -> WaylandAddress {
    if let text = environment["WAYLAND_SOCKET"], !text.isEmpty {
      guard text.utf8.count <= 9, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = CInt(text) else {
        throw DisplayError(.badAddress, "WAYLAND_SOCKET is not a descriptor: \"\(text.escapedForDisplay())\"")
      }
      // A second connection needs another socket.
      if !used.withLock({ $0.contains(number) }) { return .inherited(descriptor: number) }
    }
    var name = environment["WAYLAND_DISPLAY"] ?? ""
    if name.isEmpty { name = "wayland-0" }
    if !name.hasPrefix("/") {
      guard let directory = environment["XDG_RUNTIME_DIR"], directory.hasPrefix("/") else {
        throw DisplayError(.badAddress, "no Wayland display: XDG_RUNTIME_DIR is not an absolute path")
      }
      name = "\(directory)/\(name)"
    }
    guard name.utf8.count <= SystemCalls.socketPathLength, !name.utf8.contains(0) else {
      throw DisplayError(
        .badAddress,
        "the path of the Wayland display exceeds \(SystemCalls.socketPathLength) bytes, or contains a zero byte")
    }
    return .path(name)
  }

  /// The inherited descriptors that a connection has taken.
  private static let used = Lock<Set<CInt>>([])

  /// Connects to the compositor.
  ///
  /// This function blocks.
  func connect(timeout: Duration) throws(DisplayError) -> OwnedDescriptor {
    if case .inherited(let descriptor) = self {
      guard SystemCalls.isLocalSocket(descriptor), Self.used.withLock({ $0.insert(descriptor).inserted }) else {
        throw DisplayError(.badAddress, "\(self) is not a local socket, or was used before")
      }
    }
    do throws(SystemError) {
      switch self {
      case .inherited(let descriptor):
        let socket = OwnedDescriptor(descriptor)
        try SystemCalls.setClosesOnExec(descriptor)
        return socket
      case .path(let path):
        let socket = OwnedDescriptor(try SystemCalls.socket())
        // If the compositor accepts no connections, its queue stays full and this timeout expires.
        try SystemCalls.setSendTimeout(socket.raw, timeout)
        try SystemCalls.connect(socket.raw, path)
        return socket
      }
    } catch {
      if error.errorNumber == EAGAIN {
        throw DisplayError(.timedOut, "the compositor at \(self) did not accept the connection in time")
      }
      throw DisplayError(.unreachable, "no compositor at \(self)", error)
    }
  }
}

extension WaylandAddress: CustomStringConvertible {
  package var description: String {
    switch self {
    case .inherited(let descriptor): "WAYLAND_SOCKET \(descriptor)"
    case .path(let path): path.escapedForDisplay()
    }
  }
}
