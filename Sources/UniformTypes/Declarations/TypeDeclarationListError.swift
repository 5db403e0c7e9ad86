// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Why a property list as a whole declares nothing; what is wrong with one declaration is a ``RefusedDeclaration``.
public struct TypeDeclarationListError: Error, Sendable, Hashable {
  /// The kinds of fault.
  @nonexhaustive public enum Code: Sendable, Hashable {
    /// The bytes are no property list, or one that is nested too deeply or refers to itself.
    case malformed
    /// The list is larger, or declares more, than ``TypeDeclarationList`` allows.
    case limitExceeded
    /// The property list is sound, but what stands where a dictionary or an array of declarations should is none.
    case invalidValue
  }

  /// Which kind of fault it is.
  public let code: Code

  /// The key at fault, such as `UTExportedTypeDeclarations`; empty where the whole is.
  public let keyPath: String

  /// What is wrong, in words.
  public let reason: String

  init(_ code: Code, at keyPath: String = "", _ reason: String) {
    self.code = code
    self.keyPath = keyPath
    self.reason = reason
  }
}

extension TypeDeclarationListError: CustomStringConvertible {
  /// One line: the place and what is wrong there.
  public var description: String {
    keyPath.isEmpty ? reason : "\(keyPath): \(reason)"
  }
}
