// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import ItemCoding

/// The path from a JSON value to a value inside it, written like `data.results[3].name`.
struct JSONPath: Hashable, Sendable, CustomStringConvertible {
  /// A step inwards.
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

  /// Creates the path from a decoder's coding path.
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

  /// The path, of which more than eight components are shortened in the middle, for an error message.
  var abbreviated: String {
    guard components.count > 8 else { return description }
    return "\(JSONPath(Array(components.prefix(3))))…\(JSONPath(Array(components.suffix(2))))"
  }
}

extension String {
  /// Whether a path can contain the key without quotes.
  fileprivate var isPlainKey: Bool {
    !isEmpty && utf8.count <= 60
      && unicodeScalars.allSatisfy { scalar in
        scalar == "_" || scalar == "-" || scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
      }
  }

  /// Returns the string truncated to a number of Unicode scalars, for an error message.
  ///
  /// Characters that move the cursor, change the writing direction or end a quotation are escaped.
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

/// A walk through a JSON value that finds the path to a position or a value in it.
///
/// Readers do not track paths, because only errors need them. For an error, this second pass finds the path.
struct JSONPathTracker {
  /// An open array or object, and the position of the walk in it.
  private enum Place {
    case object(key: String?)
    case array(count: Int, isInside: Bool)
  }

  private var places: [Place] = []
  private var keyStart = 0
  private var grammar = JSONGrammar(reportDepth: .max)

  /// Returns the path to the innermost value that is open at the end of `bytes`, the start of a well-formed value.
  static func openPath(in bytes: Data) -> JSONPath {
    var tracker = JSONPathTracker()
    tracker.walk(bytes) { _, _, _ in true }
    return tracker.path
  }

  /// Returns the kind of the value at `path` in a well-formed value, or `nil` if there is none.
  static func kind(at path: JSONPath, in bytes: Data) -> JSONGrammar.Kind? {
    var tracker = JSONPathTracker()
    var found: JSONGrammar.Kind?
    tracker.walk(bytes) { tracker, depth, kind in
      if depth == path.components.count, tracker.path == path { found = kind }
      return found == nil
    }
    return found
  }

  /// Checks that no object in a well-formed value repeats a key.
  ///
  /// - Throws: ``HeroCardError/Code/invalidValue`` with the path of the object and the offset of the second key.
  static func refuseDuplicateKeys(in bytes: Data) throws(HeroCardError) {
    var tracker = JSONPathTracker()
    // The keys of each open object; an open array has no keys.
    var keys: [Set<[UInt8]>] = []
    var duplicate: HeroCardError?
    tracker.walk(bytes) { tracker, depth, kind in
      keys.removeLast(keys.count - depth)
      // Different keys may be equal strings, so the bytes are compared.
      if case .object(let key?) = tracker.places.last, !keys[depth - 1].insert(Array(key.utf8)).inserted {
        duplicate = HeroCardError(
          .invalidValue, at: JSONPath(tracker.path.components.dropLast()), byteOffset: tracker.keyStart,
          reason: "duplicate key \"\(key.quotable(atMost: 60))\"")
      }
      keys.append([])
      return duplicate == nil
    }
    if let duplicate { throw duplicate }
  }

  private var path: JSONPath {
    var components = places.compactMap { place -> JSONPath.Component? in
      switch place {
      case .object(let key): key.map(JSONPath.Component.key)
      case .array(let count, let isInside): isInside ? .index(count - 1) : nil
      }
    }
    if grammar.state == .value, case .array(let count, false)? = places.last {
      components.append(.index(count))
    }
    return JSONPath(components)
  }

  /// Walks until a value begins for which `isWanted` returns `false`, or to the end.
  private mutating func walk(_ bytes: Data, while isWanted: (JSONPathTracker, Int, JSONGrammar.Kind) -> Bool) {
    bytes.withUnsafeBytes { buffer in
      var position = 0
      while true {
        switch grammar.advance(over: buffer, from: &position) {
        case .more, .fault: return
        case .keyBegin:
          keyStart = position - 1
        case .keyEnd(let depth):
          places[depth - 1] = .object(key: JSONKey.text(of: buffer[keyStart..<position]))
        case .begin(let kind, let depth):
          if case .array(let count, _)? = places.last { places[depth - 1] = .array(count: count + 1, isInside: true) }
          guard isWanted(self, depth, kind) else { return }
          if kind == .object { places.append(.object(key: nil)) }
          if kind == .array { places.append(.array(count: 0, isInside: false)) }
        case .end(let depth):
          places.removeLast(places.count - depth)
          leaveValue()
        }
      }
    }
  }

  private mutating func leaveValue() {
    switch places.popLast() {
    case .object: places.append(.object(key: nil))
    case .array(let count, _): places.append(.array(count: count, isInside: false))
    case nil: break
    }
  }
}

/// Keys as encoded in the bytes of a JSON text.
enum JSONKey {
  /// Returns the key in quoted bytes, with escapes resolved.
  static func text(of quoted: Slice<UnsafeRawBufferPointer>) -> String {
    JSONItems.decode(String.self, from: UnsafeRawBufferPointer(rebasing: quoted))
      ?? String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
  }

  /// Returns whether quoted bytes encode `text`.
  static func matches(_ quoted: Slice<UnsafeRawBufferPointer>, _ text: String) -> Bool {
    if quoted.dropFirst().dropLast().elementsEqual(text.utf8) { return true }
    // Each character may be an escape of six bytes. A longer key, or a key without escapes, is a different key.
    guard quoted.count <= text.utf8.count * 6 + 2, quoted.contains(UInt8(ascii: "\\")) else { return false }
    return self.text(of: quoted) == text
  }
}
