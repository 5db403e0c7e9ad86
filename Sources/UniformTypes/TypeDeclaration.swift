// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What is said of a type by whoever declares it.
struct TypeDeclaration: Sendable {
  /// Who says so; a lower one beats a higher one.
  enum Origin: Int, Comparable, Sendable {
    case system
    case exported
    case imported

    static func < (lhs: Origin, rhs: Origin) -> Bool { lhs.rawValue < rhs.rawValue }
  }

  enum TagKind: Hashable, Sendable {
    case filenameExtension
    case mimeType
  }

  var identifier: String
  var conformsTo: [String] = []
  /// Preferred first.
  var filenameExtensions: [String] = []
  /// Preferred first.
  var mimeTypes: [String] = []
  var origin = Origin.system

  func tags(of kind: TagKind) -> [String] {
    switch kind {
    case .filenameExtension: filenameExtensions
    case .mimeType: mimeTypes
    }
  }
}
