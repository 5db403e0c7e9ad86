// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Finds out where in a JSON value something is, by going through its bytes once more.
///
/// Readers keep no paths while all is well; only an error makes them ask.
struct JSONPathTracker {
  /// An open array or object, and where in it the walk is.
  private enum Place {
    case object(key: String?)
    case array(count: Int, isInside: Bool)
  }

  private var places: [Place] = []
  private var grammar = JSONGrammar(reportDepth: .max)

  /// The way to the innermost value still open where `bytes`, the beginning of a sound value, end.
  static func openPath(in bytes: Data) -> JSONPath {
    var tracker = JSONPathTracker()
    tracker.walk(bytes) { _, _, _ in true }
    return tracker.path
  }

  /// The kind of the value at `path` in a sound value, or `nil` where there is none.
  static func kind(at path: JSONPath, in bytes: Data) -> JSONGrammar.Kind? {
    var tracker = JSONPathTracker()
    var found: JSONGrammar.Kind?
    tracker.walk(bytes) { tracker, depth, kind in
      if depth == path.components.count, tracker.path == path { found = kind }
      return found == nil
    }
    return found
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

  /// Goes on until a value begins for which `isWanted` says no, or to the end.
  private mutating func walk(_ bytes: Data, while isWanted: (JSONPathTracker, Int, JSONGrammar.Kind) -> Bool) {
    bytes.withUnsafeBytes { buffer in
      var position = 0
      var keyStart = 0
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

/// Keys as they stand in the bytes of a JSON text.
enum JSONKey {
  /// What the bytes from quote to quote say, escapes resolved.
  static func text(of quoted: Slice<UnsafeRawBufferPointer>) -> String {
    if quoted.contains(UInt8(ascii: "\\")), let text = try? JSONDecoder().decode(String.self, from: Data(quoted)) {
      return text
    }
    return String(decoding: quoted.dropFirst().dropLast(), as: UTF8.self)
  }

  /// Whether the bytes from quote to quote say `text`.
  static func matches(_ quoted: Slice<UnsafeRawBufferPointer>, _ text: String) -> Bool {
    if quoted.dropFirst().dropLast().elementsEqual(text.utf8) { return true }
    // Each character may be an escape of six bytes; what is longer cannot be the same, what has none neither.
    guard quoted.count <= text.utf8.count * 6 + 2, quoted.contains(UInt8(ascii: "\\")) else { return false }
    return self.text(of: quoted) == text
  }
}
