// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// Cuts a JSON text that arrives in chunks into its elements, and gives each out as soon as its last byte is there.
///
/// The text is any number of outermost values, one after another. Each is an array, whose values are the elements; or
/// an object that holds an array at the end of the layout's route, whose values are the elements; or any other object,
/// which is an element itself. (Without a route, each outermost value is an element.)
///
/// Every byte is checked, also of what is skipped. Chunks may be cut anywhere, and however they are cut, the elements
/// and errors are the same. What is kept is bounded by the largest element and a chunk. An object counts as a possible
/// element until the route's array begins in it; what follows that array is skipped, and not kept.
///
/// ```
///   append ─> ChunkBuffer ─> JSONGrammar ── events ──> this: which value is an element? ─> JSONElement
/// ```
struct JSONElementScanner: Sendable {
  private enum Mode {
    /// Outside of every array and object.
    case between
    /// In an outermost object, pinned from its first byte, which is an element unless the route's array turns up.
    case candidate
    /// In an array of elements.
    case elements
    /// Behind the array of elements, in the objects which hold it.
    case rest
  }

  private let layout: JSONElementLayout
  private let limits: HeroCardLimits
  private var buffer = ChunkBuffer()
  private var grammar: JSONGrammar
  private var mode = Mode.between
  /// The keys on the way in; in a candidate, only as far as they follow the route.
  private var keys: [String] = []
  private var keyOffset = 0
  /// The place in the array of elements.
  private var index = 0
  private var isEmpty = true
  private var isFinished = false
  private var failure: HeroCardError?

  init(layout: JSONElementLayout, limits: HeroCardLimits) {
    self.layout = layout
    self.limits = limits
    grammar = JSONGrammar(depthLimit: limits.depth, checksText: true)
  }

  /// How many bytes are held at this moment.
  var retainedByteCount: Int { buffer.retainedByteCount }

  /// Hands over the next bytes of the text.
  mutating func append(_ bytes: Data) {
    precondition(!isFinished, "bytes appended after finish()")
    if failure == nil { buffer.append(bytes) }
  }

  /// Says that there are no more bytes.
  mutating func finish() {
    isFinished = true
  }

  /// The next element, or `nil` where more bytes are needed or, after `finish()`, at the end.
  ///
  /// After an error, which every further call repeats, nothing more can be had.
  mutating func next() throws(HeroCardError) -> JSONElement? {
    if let failure { throw failure }
    do throws(HeroCardError) {
      return try advance()
    } catch {
      failure = error
      buffer = ChunkBuffer()
      throw error
    }
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
        // An element's text is located as its other values are.
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

  /// How many arrays and objects are around each element of the array being read.
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
      throw unfit(kind.phrase, at: buffer.offset - 1)
    case .boolean, .null:
      break  // It may be a word of another language; its end will tell.
    }
  }

  private mutating func beginElements() throws(HeroCardError) {
    guard mode != .rest else {
      throw HeroCardError(
        .malformed, at: openPath, byteOffset: buffer.offset - 1, reason: "a second array under the same key")
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
      throw unfit("a single word", at: buffer.offset - 1)
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
      // Behind a value its key is over, and with depth 0 so is everything.
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
      reason: "longer than \(limits.elementBytes) bytes")
  }

  private func checkEnd() throws(HeroCardError) {
    if grammar.state == .betweenValues || grammar.state == .start {
      guard isEmpty else { return }
      throw HeroCardError(.empty, at: JSONPath(), byteOffset: buffer.offset, reason: "no JSON value")
    }
    throw HeroCardError(.truncated, at: openPath, byteOffset: buffer.offset, reason: "the text is truncated")
  }

  private func unfit(_ found: String, at offset: Int) -> HeroCardError {
    HeroCardError(
      layout.unfit, at: JSONPath(), byteOffset: offset, reason: "expected an object or an array, found \(found)")
  }

  /// The way to the innermost value which is open where reading has come.
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
