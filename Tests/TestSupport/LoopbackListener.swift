// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import DropSystem
internal import Glibc

/// A TCP socket that accepts connections from this machine.
package struct LoopbackListener: ~Copyable {
  /// The descriptor, of which the system completes connections before they are accepted.
  package let socket = Self.newSocket()
  private var address = sockaddr_in()
  private var length = socklen_t(MemoryLayout<sockaddr_in>.size)

  package init() throws {
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let descriptor = socket.raw
    let isListening = withAddress { address, length in
      bind(descriptor, address, length.pointee) == 0 && listen(descriptor, 1) == 0
        && getsockname(descriptor, address, length) == 0
    }
    guard isListening else { throw SystemError(errno, in: "listen") }
  }

  /// The port, which the system has chosen.
  package var port: UInt16 { UInt16(bigEndian: address.sin_port) }

  /// Connects a client, and returns its descriptor.
  package mutating func connect() throws -> CInt {
    let client = Self.newSocket()
    guard withAddress({ Glibc.connect(client.raw, $0, $1.pointee) == 0 }) else {
      throw SystemError(errno, in: "connect")
    }
    return client.release()
  }

  private static func newSocket() -> OwnedDescriptor {
    OwnedDescriptor(Glibc.socket(AF_INET, CInt(SOCK_STREAM.rawValue) | CInt(SOCK_CLOEXEC.rawValue), 0))
  }

  private mutating func withAddress(
    _ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Bool
  ) -> Bool {
    withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &length) }
    }
  }
}
