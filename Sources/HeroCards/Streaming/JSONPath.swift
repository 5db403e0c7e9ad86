// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The way from a JSON value to one inside it, written like `data.results[3].name`.
struct JSONPath: Hashable, Sendable, CustomStringConvertible {
  /// One step inwards.
  enum Component: Hashable, Sendable {
    case key(String)
    case index(Int)
  }

  var components: [Component] = []

  init(_ components: [Component] = []) {
    self.components = components
  }

  init(keys: some Sequence<String>, index: Int? = nil) {
    components = keys.map(Component.key)
    if let index { components.append(.index(index)) }
  }

  /// The path a decoder took.
  init(_ codingPath: [any CodingKey]) {
    components = codingPath.map { key in key.intValue.map(Component.index) ?? .key(key.stringValue) }
  }

  static func + (left: JSONPath, right: JSONPath) -> JSONPath {
    JSONPath(left.components + right.components)
  }

  var description: String {
    var text = ""
    for component in components {
      switch component {
      case .index(let index):
        text += "[\(index)]"
      case .key(let key) where key.isPlainKey:
        text += text.isEmpty ? key : ".\(key)"
      case .key(let key):
        text += "[\"\(key.quotable(atMost: 60))\"]"
      }
    }
    return text
  }
}

extension String {
  /// Whether a path can hold the key as it is.
  fileprivate var isPlainKey: Bool {
    !isEmpty && utf8.count <= 60
      && unicodeScalars.allSatisfy { scalar in
        scalar == "_" || scalar == "-" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      }
  }

  /// The text made fit for a message: clipped, and without anything that would move the cursor, turn the direction
  /// of writing or end a quotation.
  func quotable(atMost limit: Int = 120) -> String {
    var text = ""
    for scalar in unicodeScalars.prefix(limit) {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned:
        text += "\\u{\(String(scalar.value, radix: 16, uppercase: true))}"
      default:
        text += scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : String(scalar)
      }
    }
    return unicodeScalars.dropFirst(limit).isEmpty ? text : text + "…"
  }
}
