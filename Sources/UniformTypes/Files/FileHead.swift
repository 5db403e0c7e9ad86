// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// What the file system says of a file, and its first bytes.
struct FileHead {
  /// What is no regular file.
  enum SpecialKind {
    case directory
    case pipe
    case socket
    case characterDevice
    case blockDevice

    /// By the freedesktop specification's names.
    var mimeType: String {
      switch self {
      case .directory: "inode/directory"
      case .pipe: "inode/fifo"
      case .socket: "inode/socket"
      case .characterDevice: "inode/chardevice"
      case .blockDevice: "inode/blockdevice"
      }
    }
  }

  let path: String
  /// `nil` for a regular file.
  let specialKind: SpecialKind?

  /// Looks at the file without opening it; links are followed.
  ///
  /// - Throws: When there is no such file, or it cannot be seen.
  init(path: String) throws(FileTypeError) {
    // The system would see only what is before a NUL.
    guard !path.utf8.contains(0) else { throw FileTypeError(path: path, errorNumber: EINVAL) }
    var status = stat()
    guard stat(path, &status) == 0 else { throw FileTypeError(path: path, errorNumber: errno) }
    self.path = path
    switch status.st_mode & S_IFMT {
    case S_IFDIR: specialKind = .directory
    case S_IFIFO: specialKind = .pipe
    case S_IFSOCK: specialKind = .socket
    case S_IFCHR: specialKind = .characterDevice
    case S_IFBLK: specialKind = .blockDevice
    default: specialKind = nil
    }
  }

  /// The MIME type that somebody attached to the file (freedesktop's common extended attributes).
  var attachedMIMEType: String? {
    guard let getxattr = Self.getxattr else { return nil }
    let attached = [UInt8](unsafeUninitializedCapacity: 256) { buffer, count in
      count = max(0, getxattr(path, "user.mime_type", buffer.baseAddress, buffer.count))
    }
    guard let text = String(validating: attached, as: UTF8.self), text.utf8.contains(UInt8(ascii: "/")),
      UTType.isValid(tag: text, of: .mimeType)
    else { return nil }
    return MIMETypeText.essence(of: text)
  }

  private typealias GetAttribute =
    @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafeMutableRawPointer?, Int) -> Int

  /// Swift's C library module lacks the call, and a C target that has it would own `stat` as well.
  private static let getxattr = dlsym(nil, "getxattr").map { unsafeBitCast($0, to: GetAttribute.self) }

  /// The first bytes, fewer where the file is shorter.
  ///
  /// - Throws: When the file cannot be read, or is no regular file any more.
  func content(extent: Int) throws(FileTypeError) -> [UInt8] {
    // Non-blocking, so that a FIFO put in the file's place cannot hold the reader up.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw FileTypeError(path: path, errorNumber: errno) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileTypeError(path: path, errorNumber: errno) }
    // An empty pipe would pass for an empty file.
    guard status.st_mode & S_IFMT == S_IFREG else { throw FileTypeError(path: path, errorNumber: EINVAL) }
    var failure: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: extent) { buffer, count in
      while count < buffer.count {
        let got = read(descriptor, buffer.baseAddress.map { $0 + count }, buffer.count - count)
        if got < 0, errno == EINTR { continue }
        if got < 0 { failure = errno }
        guard got > 0 else { break }
        count += got
      }
    }
    guard failure == 0 else { throw FileTypeError(path: path, errorNumber: failure) }
    return bytes
  }
}
