// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import ItemCoding

/// A scanner that splits a JSON text into elements, each available once its last byte has arrived.
///
/// The text is any number of outermost values. An array contains elements. An object with an array at the end of the
/// layout's route contains elements, too; any other object is an element itself. Without a route, every outermost array
/// or object is an element.
///
/// The scanner validates every byte, skipped bytes included. The elements and errors do not depend on the bytes at
/// which chunks are split. Memory is bounded by the largest element and a chunk. An object is a possible element until
/// the route's array begins; everything after that array is skipped and not buffered.
///
/// ```
///   append ─> ScannerBuffer ─> JSONGrammar ── events ──> this: which value is an element? ─> JSONElement
/// ```
struct JSONElementScanner: Sendable {
  private enum Mode {
    /// Outside of all arrays and objects.
    case between
    /// In an outermost object or, without a route, in an outermost array.
    ///
    /// The value is pinned from its first byte, and is an element unless it has the route's array.
    case candidate
    /// In an array of elements.
    case elements
    /// After the array of elements, in the enclosing objects.
    case rest
  }

  private let layout: JSONElementLayout
  private let limits: HeroCardLimits
  private var buffer = ScannerBuffer()
  private var grammar: JSONGrammar
  private var mode = Mode.between
  /// The keys of the enclosing objects; in a candidate, only the keys that match the route.
  private var keys: [String] = []
  private var keyOffset = 0
  /// The index in the array of elements.
  private var index = 0
  private var isEmpty = true
  private var isFinished = false
  private var failure: HeroCardError?

  init(layout: JSONElementLayout, limits: HeroCardLimits) {
    self.layout = layout
    self.limits = limits
    grammar = JSONGrammar(depthLimit: limits.depth, checksText: true)
  }

  /// The number of buffered bytes.
  var retainedByteCount: Int { buffer.retainedByteCount }

  /// Appends the next bytes of the text.
  mutating func append(_ bytes: Data) {
    precondition(!isFinished, "append(_:) called after finish()")
    if failure == nil { buffer.append(bytes) }
  }

  /// Marks the end of the text.
  mutating func finish() {
    isFinished = true
  }

  /// Returns the next element; `nil` if more bytes are needed or, after `finish()`, at the end.
  ///
  /// After an error, every further call throws the same error.
  mutating func next() throws(HeroCardError) -> JSONElement? {
    if let failure { throw failure }
    do throws(HeroCardError) {
      return try advance()
    } catch {
      failure = error
      buffer = ScannerBuffer()
      throw error
    }
  }

  /// Decodes and passes the next element if it is an object in an array of elements, and complete in the chunk.
  ///
  /// - Returns: The value; `nil` if ``next()`` must find the next element or fault.
  mutating func decodeElement<Value: JSONElementDecodable>(_ type: Value.Type) -> Value? {
    guard mode == .elements, grammar.depth == elementDepth, grammar.isBetweenElements, buffer.pinOffset == nil,
      buffer.hasMore()
    else { return nil }
    let needsComma = grammar.state == .afterValue
    let (byteLimit, depthLimit, keys) = (limits.elementBytes, limits.depth - elementDepth, keys)
    let value = buffer.passing { bytes -> (Value, Int)? in
      guard let start = JSONText.startOfObject(in: bytes, afterComma: needsComma) else { return nil }
      let end = min(bytes.count, start + byteLimit)
      var source = JSONItems.Source(
        text: UnsafeRawBufferPointer(rebasing: bytes[start..<end]), depthLimit: depthLimit)
      guard let value = try? Value.decode(in: keys, from: &source) else { return nil }
      return (value, start + source.length)
    }
    guard let value else { return nil }
    grammar.passElement()
    index += 1
    return value
  }

  private mutating func advance() throws(HeroCardError) -> JSONElement? {
    while buffer.hasMore() {
      switch buffer.advance(&grammar, pinLimit: limits.elementBytes) {
      case .more: try checkLimit()
      case .begin(let kind, let depth): try beginValue(kind, depth)
      case .keyBegin: beginKey()
      case .keyEnd(let depth): endKey(depth)
      case .end(let depth): if let element = try endValue(depth) { return element }
      case .fault(let fault):
        // The error for invalid text in an element states the offset of the element, as for other invalid values.
        let element = fault.code == .invalidValue && mode != .rest ? buffer.pinOffset : nil
        throw HeroCardError(
          fault.code, at: openPath, byteOffset: element ?? buffer.offset, isOffsetOfElement: element != nil,
          reason: fault.reason)
      }
    }
    if isFinished { try checkEnd() }
    return nil
  }

  // MARK: Values

  /// The number of arrays and objects around each element of the current array.
  private var elementDepth: Int { keys.count + 1 }

  private mutating func beginValue(_ kind: JSONGrammar.Kind, _ depth: Int) throws(HeroCardError) {
    switch mode {
    case .between:
      try beginOutermost(kind)
    case .elements:
      buffer.pin(at: buffer.offset - 1)
    case .candidate, .rest:
      guard let route = layout.route, keys.count == depth, keys.elementsEqual(route.prefix(depth)) else { return }
      if kind == .object, depth < route.count {
        grammar.reportDepth = depth + 1
      } else if kind == .array, depth == route.count {
        try beginElements()
      }
    }
  }

  private mutating func beginOutermost(_ kind: JSONGrammar.Kind) throws(HeroCardError) {
    isEmpty = false
    switch kind {
    case .array where layout.route != nil:
      try beginElements()
    case .object, .array:
      mode = .candidate
      grammar.reportDepth = layout.route == nil ? 0 : 1
      buffer.pin(at: buffer.offset - 1)
    case .string, .number:
      throw mismatch(kind.phrase, at: buffer.offset - 1)
    case .boolean, .null:
      break  // The mismatch is thrown at the end of the literal, which may still turn out to be malformed.
    }
  }

  private mutating func beginElements() throws(HeroCardError) {
    guard mode != .rest else {
      throw HeroCardError(
        .malformed, at: openPath, byteOffset: buffer.offset - 1, reason: "duplicate key with a second array")
    }
    try checkLimit()
    buffer.unpin()
    mode = .elements
    grammar.reportDepth = elementDepth
    index = 0
  }

  private mutating func endValue(_ depth: Int) throws(HeroCardError) -> JSONElement? {
    switch mode {
    case .between:
      throw mismatch("a literal", at: buffer.offset - 1)
    case .elements where depth == elementDepth:
      let element = try takeElement(index: index)
      index += 1
      return element
    case .candidate where depth == 0:
      mode = .between
      return try takeElement(index: nil)
    case .elements, .candidate, .rest:
      if depth == 0 {
        mode = .between
      } else if mode == .elements {
        mode = .rest
      }
      grammar.reportDepth = depth
      // A value ends the scope of its key; at depth 0, it ends the scope of all keys.
      keys.removeLast(max(keys.count - max(depth - 1, 0), 0))
      return nil
    }
  }

  private mutating func takeElement(index: Int?) throws(HeroCardError) -> JSONElement {
    try checkLimit()
    let byteOffset = buffer.pinOffset ?? buffer.offset
    return JSONElement(bytes: buffer.takePinned(), byteOffset: byteOffset, keys: keys, index: index)
  }

  // MARK: Keys

  private mutating func beginKey() {
    keyOffset = buffer.offset - 1
    if mode == .rest { buffer.pin(at: keyOffset) }
  }

  private mutating func endKey(_ depth: Int) {
    let route = layout.route ?? []
    buffer.bytes(from: keyOffset).withUnsafeBytes { quoted in
      if mode == .rest {
        keys.append(JSONKey.text(of: quoted[...]))
      } else if depth <= route.count, JSONKey.matches(quoted[...], route[depth - 1]) {
        keys.append(route[depth - 1])
      }
    }
    if mode == .rest { buffer.unpin() }
  }

  // MARK: Errors

  private func checkLimit() throws(HeroCardError) {
    guard let start = buffer.pinOffset, buffer.offset - start > limits.elementBytes else { return }
    let path = JSONPath(keys: mode == .candidate ? [] : keys, index: mode == .elements ? index : nil)
    throw HeroCardError(
      .limitExceeded, at: path, byteOffset: start, isOffsetOfElement: true,
      reason: "the element exceeds the limit of \(limits.elementBytes) bytes")
  }

  private func checkEnd() throws(HeroCardError) {
    if grammar.state == .betweenValues || grammar.state == .start {
      guard isEmpty else { return }
      throw HeroCardError(.empty, at: JSONPath(), byteOffset: buffer.offset, reason: "the text contains no JSON value")
    }
    throw HeroCardError(.truncated, at: openPath, byteOffset: buffer.offset, reason: "the text is truncated")
  }

  private func mismatch(_ found: String, at offset: Int) -> HeroCardError {
    HeroCardError(
      layout.mismatch, at: JSONPath(), byteOffset: offset, reason: "expected an object or an array, found \(found)")
  }

  /// The path to the innermost open value.
  private var openPath: JSONPath {
    let pinned = buffer.pinOffset.map { JSONPathTracker.openPath(in: buffer.bytes(from: $0)) }
    switch mode {
    case .between: return JSONPath()
    case .rest: return JSONPath(keys: keys)
    case .candidate: return pinned ?? JSONPath()
    case .elements:
      let isInElement = pinned != nil || grammar.state == .value
      return JSONPath(keys: keys, index: isInElement ? index : nil) + (pinned ?? JSONPath())
    }
  }
}
