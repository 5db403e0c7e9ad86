// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
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

  let layout: JSONElementLayout
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
    grammar = JSONGrammar(depthLimit: limits.depth)
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

  private mutating func advance() throws(HeroCardError) -> JSONElement? {
    while buffer.hasMore() {
      let elementDepthLimit = mode == .elements ? limits.depth - elementDepth : nil
      let (event, items) = buffer.advance(
        &grammar, limit: limits.elementBytes, elementDepthLimit: elementDepthLimit)
      if let items { return try takeElementOfArray(items) }
      switch event {
      case .more: try checkLimit()
      case .begin(let kind, let depth): try beginValue(kind, depth)
      case .keyBegin: beginKey()
      case .keyEnd(let depth): endKey(depth)
      case .end(let depth): if let element = try endValue(depth) { return element }
      case .fault:
        let fault = grammar.fault(at: buffer.nextByte)
        let code: HeroCardError.Code =
          switch fault.kind {
          case .malformed: .malformed
          case .invalidText: .invalidValue
          case .tooDeep: .limitExceeded
          }
        throw HeroCardError(code, at: openPath, byteOffset: buffer.offset, reason: fault.reason)
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
      guard let route = layout.route, keys.count == depth, keys.elementsEqual(route.prefix(depth)) else { break }
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
      return try takeElementOfArray(nil)
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

  private mutating func takeElementOfArray(_ items: JSONItems?) throws(HeroCardError) -> JSONElement {
    defer { index += 1 }
    return try takeElement(index: index, items)
  }

  private mutating func takeElement(index: Int?, _ items: JSONItems? = nil) throws(HeroCardError) -> JSONElement {
    try checkLimit()
    let byteOffset = buffer.pinOffset ?? buffer.offset
    return JSONElement(
      bytes: buffer.takePinned(), items: items, byteOffset: byteOffset, keys: keys, index: index)
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

/// A complete, well-formed value from a longer JSON text, with its location.
struct JSONElement {
  /// The bytes of the value, without surrounding whitespace and punctuation.
  let bytes: Data

  /// The converted value; `nil` if the bytes were not converted when they were read.
  let items: JSONItems?

  /// The offset of the first byte in the text.
  let byteOffset: Int

  /// The keys of the enclosing objects.
  let keys: [String]

  /// The index in the enclosing array, or `nil` for an outermost value.
  let index: Int?

  /// The path from the outermost value to the element.
  var path: JSONPath { JSONPath(keys: keys, index: index) }

  /// Decodes the value, with the results and errors of ``JSONValueCoder``.
  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard let items else { return try JSONValueCoder.shared.decode(type, from: bytes) }
    // The conversion to items has shown that no object repeats a key.
    return try items.decode(type) ?? JSONValueCoder.shared.decoder.decode(type, from: bytes)
  }
}

/// The location of the elements in a JSON text.
struct JSONElementLayout: Sendable {
  /// The keys from an outermost object to an array of elements.
  ///
  /// An outermost object without such an array is an element itself; an outermost array always contains elements. If
  /// the route is `nil`, every outermost object or array is an element.
  let route: [String]?

  /// The error code for a value that is not such an element.
  let mismatch: HeroCardError.Code
}

/// The bytes that a scanner still needs: unread chunks, and pinned bytes.
///
/// Pinned bytes are the bytes from a certain offset to the reading position, such as the current element. Chunks are
/// read in place. Only pinned bytes at the end of a chunk are copied, so each byte is copied at most once, and an
/// element within one chunk is never copied.
private struct ScannerBuffer: Sendable {
  /// The current chunk, and the reading position in it.
  private var chunk = Data()
  private var position = 0
  /// The offset of the chunk's first byte in the text.
  private var chunkOffset = 0

  /// The chunks after the current chunk.
  private var waiting = FIFOQueue<Data>()

  /// The offset of the first pinned byte, and the pinned bytes from earlier chunks.
  private(set) var pinOffset: Int?
  private var carried = Data()

  /// The items of the last converted element, whose memory serves the next element.
  private var items = JSONItems()

  /// The reading position in the text.
  var offset: Int { chunkOffset + position }

  /// The number of buffered bytes, read or unread.
  var retainedByteCount: Int {
    carried.count + chunk.count + waiting.elements.reduce(0) { $0 + $1.count }
  }

  mutating func append(_ bytes: Data) {
    guard !bytes.isEmpty else { return }
    if chunk.isEmpty {
      chunk = bytes
    } else {
      waiting.append(bytes)
    }
  }

  /// Advances the grammar, at most `limit` + 1 bytes past the pin.
  ///
  /// If an element begins that is an object, the method also converts the element, moves past it and pins it. It does
  /// not convert an object that is rare, not complete in the chunk, or longer than `limit` bytes.
  ///
  /// - Parameters:
  ///   - grammar: The state machine, which moves past the bytes.
  ///   - limit: The maximum size of an element in bytes.
  ///   - elementDepthLimit: The limit of nested arrays and objects in an element; `nil` outside of the array of elements.
  /// - Returns: The event, and the items of a converted element.
  mutating func advance(
    _ grammar: inout JSONGrammar, limit: Int, elementDepthLimit: Int?
  ) -> (JSONGrammar.Event, JSONItems?) {
    let end = pinOffset.map { min(chunk.count, $0 + limit + 1 - chunkOffset) } ?? chunk.count
    var position = position
    defer { self.position = position }
    // Each access to the bytes of `Data` has a cost, so one access serves both purposes.
    return chunk.withUnsafeBytes { bytes in
      let event = grammar.advance(over: UnsafeRawBufferPointer(rebasing: bytes[..<end]), from: &position)
      guard case .begin(.object, _) = event, let elementDepthLimit else { return (event, nil) }
      let start = position - 1
      let text = UnsafeRawBufferPointer(rebasing: bytes[start..<min(bytes.count, start + limit)])
      guard let length = JSONItems.convert(&items, prefixOf: text, depthLimit: elementDepthLimit) else {
        return (event, nil)
      }
      grammar.passObject()
      pinOffset = chunkOffset + start
      position = start + length
      return (event, items)
    }
  }

  /// The first byte that the grammar has not consumed.
  var nextByte: UInt8 { chunk[chunk.startIndex + position] }

  /// Returns whether there are bytes to read, and moves on to the next chunk if the current chunk is consumed.
  mutating func hasMore() -> Bool {
    guard position == chunk.count else { return true }
    if let pinOffset {
      carried.append(chunk.dropFirst(max(pinOffset - chunkOffset, 0)))
    }
    chunkOffset += position
    position = 0
    guard let next = waiting.popFirst() else {
      chunk = Data()
      return false
    }
    chunk = next
    return true
  }

  /// Pins all bytes from `offset` on, which must be in the current chunk.
  mutating func pin(at offset: Int) {
    pinOffset = offset
  }

  mutating func unpin() {
    pinOffset = nil
    carried = Data()
  }

  /// Returns the bytes from `start`, which must be pinned, to the reading position.
  func bytes(from start: Int) -> Data {
    let inChunk = chunk.dropFirst(max(start - chunkOffset, 0)).prefix(offset - max(start, chunkOffset))
    guard start < chunkOffset, let pinOffset else { return inChunk }
    return carried.dropFirst(start - pinOffset) + inChunk
  }

  /// Returns the bytes from the pin to the reading position, and removes the pin.
  mutating func takePinned() -> Data {
    guard let pinOffset else { return Data() }
    let start = chunk.startIndex + max(pinOffset - chunkOffset, 0)
    let inChunk = chunk[start..<chunk.startIndex + position]
    self.pinOffset = nil
    guard !carried.isEmpty else { return inChunk }
    var bytes = carried
    carried = Data()
    bytes.append(inChunk)
    return bytes
  }
}
