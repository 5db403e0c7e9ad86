// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// A proof that a receiver of this user has written a list in a staging directory.
///
/// Received folders are files of this user too, and their content is chosen by the sender. So the owner and the name of a
/// directory prove nothing. A list is used only with a code of the directory's name and inode number, whose key is
/// outside of all destinations.
///
/// ```
/// $XDG_STATE_HOME/dragpipe/receiver.key    32 random bytes, readable only by their owner
/// .dragpipe-NAME/parts, replaced           32 bytes: HMAC-SHA-256; then the entries
/// ```
struct StagingSeal: Sendable {
  static let length = SHA256.length
  private static let keyName = "receiver.key"

  private let key: [UInt8]

  /// Loads the key of this user, and creates it if it does not exist.
  ///
  /// - Parameter directory: The directory of the key; by default `$XDG_STATE_HOME/dragpipe`, or
  ///   `~/.local/state/dragpipe` without that variable.
  /// - Throws: The system error; `ENOENT` without a home directory; `EPERM` if other users have access to the key.
  init(in directory: String? = nil) throws(SystemError) {
    guard let directory = directory ?? Self.standardDirectory else { throw SystemError(ENOENT, in: "open") }
    do throws(SystemError) { key = try Self.key(in: directory) } catch {
      guard error.errorNumber == ENOENT else { throw error }
      try Self.create(in: directory)
      key = try Self.key(in: directory)
    }
  }

  /// Returns the code of a staging directory.
  func code(of staging: CInt, named name: String) throws(SystemError) -> [UInt8] {
    var message = Array("staging directory 1\u{0}\(name)\u{0}".utf8)
    message.append(littleEndian: try SystemCalls.status(staging).inode)
    return SHA256.authenticationCode(of: message, key: key)
  }

  /// Returns whether a list starts with the code of a staging directory, as far as a killed receiver has written it.
  func confirms(_ list: [UInt8], of staging: CInt, named name: String) throws(SystemError) -> Bool {
    try code(of: staging, named: name).starts(with: list.prefix(Self.length))
  }

  private static var standardDirectory: String? {
    func variable(_ name: String) -> String? {
      getenv(name).map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }
    return (variable("XDG_STATE_HOME") ?? variable("HOME").map { $0 + "/.local/state" }).map { $0 + "/dragpipe" }
  }

  private static func key(in directory: String) throws(SystemError) -> [UInt8] {
    let file = try OwnedDescriptor.open("\(directory)/\(keyName)", O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    let status = try SystemCalls.status(file.raw)
    guard status.kind == .regular, status.owner == geteuid(), status.permissions & 0o077 == 0,
      status.size == SHA256.length
    else { throw SystemError(EPERM, in: "open") }
    return try file.contents(limit: SHA256.length)
  }

  /// Creates the key, unless another process is faster.
  private static func create(in directory: String) throws(SystemError) {
    var path = directory.hasPrefix("/") ? "" : "."
    for name in directory.utf8.split(separator: UInt8(ascii: "/")) {
      path += "/" + String(decoding: name, as: UTF8.self)
      do throws(SystemError) { try SystemCalls.makeDirectory(path, 0o700) } catch {
        guard error.errorNumber == EEXIST else { throw error }
      }
    }
    let parent = try OwnedDescriptor.open(directory, O_RDONLY | O_DIRECTORY)
    let temporary = ".\(keyName)-\(RandomName.text())"
    let file = try OwnedDescriptor.openAt(parent.raw, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600)
    defer { try? SystemCalls.unlinkAt(parent.raw, temporary) }
    var generator = SystemRandomNumberGenerator()
    try SystemCalls.writeAll(file.raw, (0..<SHA256.length).map { _ in UInt8.random(in: 0...255, using: &generator) })
    try SystemCalls.sync(file.raw)
    do throws(SystemError) {
      try SystemCalls.renameExclusivelyAt(parent.raw, temporary, parent.raw, keyName)
    } catch {
      guard error.errorNumber == EEXIST else { throw error }
    }
  }
}

extension OwnedDescriptor {
  /// Reads a file from its offset to its end.
  ///
  /// - Throws: The system error; `EFBIG` for more than `limit` bytes.
  borrowing func contents(limit: Int) throws(SystemError) -> [UInt8] {
    let descriptor = raw
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = try chunk.withUnsafeMutableBufferPointer { (chunk) throws(SystemError) in
        try SystemCalls.read(descriptor, UnsafeMutableRawBufferPointer(chunk))
      }
      if count == 0 { return bytes }
      guard bytes.count + count <= limit else { throw SystemError(EFBIG, in: "read") }
      bytes += chunk[..<count]
    }
  }
}
