// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// The report of an error by the symbolic name of its number, with a description.
package struct TerminalErrorReport: Sendable, Hashable {
  private static let names: [CInt: String] = [
    EPERM: "EPERM", ENOENT: "ENOENT", EIO: "EIO", EACCES: "EACCES", EBUSY: "EBUSY", EEXIST: "EEXIST",
    ENOTDIR: "ENOTDIR", EISDIR: "EISDIR", EINVAL: "EINVAL", ENFILE: "ENFILE", EMFILE: "EMFILE", EFBIG: "EFBIG",
    ENOSPC: "ENOSPC", ENOMEM: "ENOMEM", EROFS: "EROFS", ENAMETOOLONG: "ENAMETOOLONG", ELOOP: "ELOOP",
    ESTALE: "ESTALE", EDQUOT: "EDQUOT", ETIMEDOUT: "ETIMEDOUT", ECANCELED: "ECANCELED", ENOSYS: "ENOSYS",
  ]
  private static let numbers = Dictionary(uniqueKeysWithValues: names.map { ($0.value, $0.key) })
  /// The report of a success.
  private static let success = "OK"

  /// The error number; `nil` for an unknown name, and for a success.
  package let errorNumber: CInt?
  /// Whether the report is of a success.
  package let isSuccess: Bool
  /// The name and the description in one line, escaped for display.
  package let description: String

  /// Parses the payload of a message.
  package init(parsing payload: [UInt8]) {
    let name = String(decoding: payload.prefix { $0 != UInt8(ascii: ":") }.prefix(32), as: UTF8.self)
    errorNumber = Self.numbers[name]
    isSuccess = name == Self.success
    description = String(decoding: payload.prefix(400), as: UTF8.self).escapedForDisplay()
  }

  /// Returns the name of an error number; `EUNKNOWN` for a number without a name in the protocol.
  package static func name(of errorNumber: CInt) -> String { names[errorNumber] ?? "EUNKNOWN" }
}
