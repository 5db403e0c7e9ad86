// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The state of one call of a decoder, reused by later calls: a frame for each depth, plans and key names.
///
/// ```
///   Data --> session.input --> container --> Value(from: level)
///                                  |
///                                frame: start, cursor, index of keys
/// ```
///
/// The session decodes values from the input, without an intermediate representation. A cursor expects the keys in the
/// order in which the program requests them. Only a key that is out of order, or an entry that is left unread, makes
/// the session index the map, once. As in ``CBOREncodingSession``, each depth has one decoder, which the session does
/// not reuse if the program retains it or a container that refers to it.
final class CBORDecodingSession {
  typealias Frame = CBORDecodingFrame.Pointer

  let input: UnsafeMutablePointer<CBORInput>
  private let plans = CBORTypeCache<CBORDecodingPlan>()
  private let tables = CBORTypeCache<CBORKeyNames>()
  private let state: UnsafeMutablePointer<State>

  /// The memory in which plans create values before these are moved to their destination: a stack of the values in
  /// progress.
  private let scratch = UnsafeMutableRawPointer.allocate(byteCount: scratchCapacity, alignment: 16)
  private static let scratchCapacity = 1 << 16

  /// The mutable state, in memory that is accessed without exclusivity checks.
  private struct State {
    var options = CBORDecoder.Options()
    var userInfo: [CodingUserInfoKey: Any] = [:]
    /// The offset of the input in a larger input, which is added to offsets in errors.
    var origin = 0
    /// The cost that the call may still cause; see ``CBORDecodingSession/visit``.
    var credit = 0
    /// The number of values that have begun, in all calls.
    var begunCount = 0
    /// The number of bytes that may still be reserved for values before these are decoded.
    var reservable = 0
    var scratchCount = 0
    /// Whether a frame retains objects of the program, or much memory, which must not outlive the call.
    var needsTidying = false
    /// Whether the program retains a decoder or container, whose frame must not change.
    var isShared = false
    /// Whether the call has ended and only the program retains the session.
    var isEnded = false
    var frames: [Frame] = []
    /// The frames of nested decoders, which the program can use while the values around them are in progress.
    var nested: [Frame] = []
    /// The frames that belong to no depth and to no value.
    var spare: [Frame] = []
    /// A copy of the input for decoders and containers that the program retains after the call.
    var ownedBytes: UnsafeMutablePointer<UInt8>?
  }

  /// The address of an empty input.
  private let nothing = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)

  init() {
    input = .allocate(capacity: 1)
    input.initialize(to: CBORInput(base: UnsafePointer(nothing), count: 0))
    state = .allocate(capacity: 1)
    state.initialize(to: State())
    _ = makeFrame()
  }

  deinit {
    for frame in state.pointee.frames {
      frame.deinitialize(count: 1)
      frame.deallocate()
    }
    state.pointee.ownedBytes?.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
    input.deallocate()
    nothing.deallocate()
    scratch.deallocate()
  }

  var options: CBORDecoder.Options { state.pointee.options }
  /// The user info of the decoder; empty when a call begins.
  var userInfo: [CodingUserInfoKey: Any] {
    get { state.pointee.userInfo }
    set { state.pointee.userInfo = newValue }
  }
  @inline(__always) var depthLimit: Int { state.pointee.options.limits.depth }
  @inline(__always) var convertsKeys: Bool { state.pointee.options.keyDecodingStrategy == .convertFromSnakeCase }
  @inline(__always) var lengthLimit: Int { input.pointee.lengthLimit }

  /// The offset of the input in a larger input, which is added to offsets in errors.
  var origin: Int { state.pointee.origin }

  /// Whether the program retains an object of this session, so that no other call may use the session.
  var isShared: Bool { state.pointee.isShared }

  var outermost: Frame { state.pointee.frames[0] }

  func names<Key: CodingKey>(of type: Key.Type) -> CBORKeyNames? {
    // Frames refer to tables without retaining them, so each table must be stored.
    tables.value(for: type) { tables.isFull ? nil : CBORKeyNames.table(for: type) }
  }

  /// Returns the plan for `type`; `nil` if its values use `init(from:)`.
  @inline(__always)
  func plan<Value>(for type: Value.Type) -> CBORDecodingPlan? {
    plans.value(for: type) { CBORDecodingPlan.plan(for: type) }
  }

  // MARK: Calls

  func begin(_ bytes: UnsafeRawBufferPointer, at origin: Int, _ options: CBORDecoder.Options) {
    let base = bytes.bindMemory(to: UInt8.self).baseAddress ?? UnsafePointer(nothing)
    input.pointee = CBORInput(
      base: base, count: bytes.count, acceptsLongArguments: options.acceptsLongArguments,
      lengthLimit: options.limits.length)
    state.pointee.origin = origin
    state.pointee.options = options
    state.pointee.credit = options.limits.visits(byteCount: bytes.count) * Self.visit
    state.pointee.reservable = bytes.count &* Self.reservableBytesPerByte
  }

  /// Ends a call, after which the memory of the input is no longer valid.
  ///
  /// Decoders and containers that the program retains use a copy of the input.
  func end() {
    if isShared {
      state.pointee.isEnded = true
      let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, input.pointee.count))
      copy.initialize(from: input.pointee.base, count: input.pointee.count)
      state.pointee.ownedBytes = copy
      input.pointee.base = UnsafePointer(copy)
    } else {
      if state.pointee.needsTidying { tidy() }
      input.pointee = CBORInput(base: UnsafePointer(nothing), count: 0)
      if !state.pointee.userInfo.isEmpty { state.pointee.userInfo = [:] }
    }
  }

  /// Records that a frame retains objects of the program, or much memory, until the call ends.
  func requireTidying() {
    state.pointee.needsTidying = true
  }

  private func tidy() {
    state.pointee.needsTidying = false
    for frame in state.pointee.frames {
      frame.pointee.key.other = nil
      frame.pointee.path = []
      frame.pointee.entryPath = []
      frame.pointee.entryPathOwner = -1
      frame.pointee.index.clear()
    }
  }

  /// Whether one value made the session so large that it should not be reused.
  var isOversized: Bool { state.pointee.frames.count > Self.idleFrameCount }
  private static let idleFrameCount = 1024

  /// Releases the levels and containers, which retain the session.
  ///
  /// Decoders and containers that the program retains still work, with temporary levels.
  func dissolve() {
    for frame in state.pointee.frames {
      frame.pointee.level = nil
    }
  }

  /// Decodes the outermost value, at `offset`.
  func decodeOutermost<Value: Decodable>(_ type: Value.Type, _ offset: inout Int) throws -> Value {
    let frame = outermost
    begin(frame, at: offset)
    frame.pointee.kind = .value
    defer { leave(frame) }
    if _slowPath(state.pointee.options.requiredKeyOrder != .written) { try expectDeterminism(at: offset) }
    return try decode(type, &offset, in: frame)
  }

  private func expectDeterminism(at offset: Int) throws {
    var offset = offset
    do throws(CBORFault) {
      try CBORDeterminismCheck(input.pointee, options.requiredKeyOrder).pass(&offset, depth: depthLimit)
    } catch {
      throw self.error(error, Never.self, path: [])
    }
  }

  /// Checks that the input ends at `offset`.
  ///
  /// - Throws: `DecodingError` if bytes follow the value.
  func expectEnd(at offset: Int) throws {
    let left = input.pointee.count - offset
    if left > 0 {
      throw error(CBORFault(at: offset, "\(left) byte\(left == 1 ? "" : "s") after the value"), Never.self, path: [])
    }
  }

  // MARK: Nested values

  /// Decodes the value at `offset`, a part of `parent`'s value, and moves the offset past it.
  @inline(__always)
  func decode<Value: Decodable>(_ type: Value.Type, _ offset: inout Int, in parent: Frame) throws -> Value {
    if let plan = plan(for: Value.self) {
      return try decode(type, by: plan, &offset, in: parent)
    }
    return try decodePlain(type, &offset, in: parent)
  }

  /// Decodes a value with its plan into temporary memory.
  ///
  /// `withUnsafeTemporaryAllocation` would look up a generic type each time.
  @inline(__always)
  private func decode<Value>(
    _ type: Value.Type, by plan: CBORDecodingPlan, _ offset: inout Int, in parent: Frame
  ) throws -> Value {
    let mask = MemoryLayout<Value>.alignment &- 1
    let outer = state.pointee.scratchCount
    let start = (outer &+ mask) & ~mask
    let end = start &+ MemoryLayout<Value>.size
    guard _fastPath(end <= Self.scratchCapacity && mask < 16) else {
      return try decodeElsewhere(type, by: plan, &offset, in: parent)
    }
    state.pointee.scratchCount = end
    defer { state.pointee.scratchCount = outer }
    let value = scratch + start
    try plan.decode(into: value, &offset, self, parent)
    return value.assumingMemoryBound(to: Value.self).move()
  }

  @inline(never)
  private func decodeElsewhere<Value>(
    _ type: Value.Type, by plan: CBORDecodingPlan, _ offset: inout Int, in parent: Frame
  ) throws -> Value {
    let value = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    defer { value.deallocate() }
    try plan.decode(into: UnsafeMutableRawPointer(value), &offset, self, parent)
    return value.move()
  }

  /// Calls the `init(from:)` of `Value`.
  @inline(__always)
  func decodePlain<Value: Decodable>(_ type: Value.Type, _ offset: inout Int, in parent: Frame) throws -> Value {
    let frame = try frame(in: parent, at: offset)
    if _slowPath(frame.pointee.level == nil) { frame.pointee.level = CBORDecodingLevel(self, frame) }
    do {
      let value = try Value(from: frame.pointee.level.unsafelyUnwrapped)
      if _slowPath(state.pointee.nested.count > frame.pointee.nestedCount) { try endNested(in: frame) }
      do {
        let end = try end(of: frame)
        charge(bytes: end &- offset)
        offset = end
      } catch {
        throw self.error(error, type, in: parent)
      }
      leave(frame)
      return value
    } catch {
      charge(bytes: frame.pointee.readByteCount)
      leave(frame)
      throw error
    }
  }

  // MARK: Frames

  private func makeFrame() -> Frame {
    let frame = Frame.allocate(capacity: 1)
    frame.initialize(to: CBORDecodingFrame())
    state.pointee.frames.append(frame)
    return frame
  }

  /// Begins the value at `offset` inside `parent`'s value.
  ///
  /// - Throws: `DecodingError` if the value is nested too deeply, or if the cost of the call exceeds the limit.
  @inline(__always)
  func frame(in parent: Frame, at offset: Int) throws -> Frame {
    let nesting = parent.pointee.nesting &+ (parent.pointee.kind == .value ? 0 : 1)
    if _slowPath(nesting > depthLimit) {
      throw error(tooDeep(offset), Never.self, in: parent)
    }
    do {
      try pay(Self.visit, at: offset)
    } catch {
      throw self.error(error, Never.self, in: parent)
    }
    var frame = parent.pointee.inner ?? makeInner(parent)
    // The frame is busy if a nested value decodes from a container of a value around it.
    if _slowPath(frame.pointee.isBusy) { frame = takeSpareFrame() }
    begin(frame, at: offset)
    frame.pointee.parent = parent
    frame.pointee.nesting = nesting
    return frame
  }

  private func makeInner(_ parent: Frame) -> Frame {
    let frame = makeFrame()
    parent.pointee.inner = frame
    return frame
  }

  @inline(__always)
  private func begin(_ frame: Frame, at offset: Int) {
    state.pointee.begunCount &+= 1
    frame.pointee.number = state.pointee.begunCount
    frame.pointee.isBusy = true
    frame.pointee.kind = .unread
    frame.pointee.start = offset
    frame.pointee.end = -1
    frame.pointee.nestedCount = state.pointee.nested.count
  }

  /// Ends a value, complete or not.
  @inline(__always)
  private func leave(_ frame: Frame) {
    if _slowPath(state.pointee.nested.count > frame.pointee.nestedCount) { leaveNested(in: frame) }
    if _slowPath(!isUnshared(frame)) {
      replace(frame)
    } else {
      frame.pointee.isBusy = false
      if _slowPath(state.pointee.isEnded) { frame.pointee.level = nil }
      if _slowPath(frame.pointee.isSpare) { recycle(frame) }
    }
  }

  @inline(__always)
  private func isUnshared(_ frame: Frame) -> Bool {
    isKnownUniquelyReferenced(&frame.pointee.level) || frame.pointee.level == nil
  }

  /// Ends a value whose frame was never passed to the program.
  @inline(__always)
  func leaveOwn(_ frame: Frame) {
    frame.pointee.isBusy = false
    if _slowPath(frame.pointee.isSpare) { recycle(frame) }
  }

  /// Detaches the frame, because the program retains its decoder or a container and can continue to decode.
  private func replace(_ frame: Frame) {
    state.pointee.isShared = true
    let parent = frame.pointee.parent
    frame.pointee.keptPath = frame.path()
    frame.pointee.parent = nil
    frame.pointee.inner = nil
    frame.pointee.level = nil
    guard let parent, parent.pointee.inner == frame else { return }
    parent.pointee.inner = nil
  }

  /// Returns a frame that belongs to no depth.
  private func takeSpareFrame() -> Frame {
    let frame = state.pointee.spare.popLast() ?? makeFrame()
    frame.pointee.isSpare = true
    return frame
  }

  /// Stores a frame that belongs to no depth for a later value.
  private func recycle(_ frame: Frame) {
    frame.pointee.isSpare = false
    frame.pointee.ownKey = nil
    state.pointee.spare.append(frame)
  }

  // MARK: Nested decoders

  /// Returns the decoder of a value inside `parent`'s value, which the program can use at any time, and retain.
  ///
  /// The value is at `offset`, which is negative if the map does not contain it.
  func nestedLevel(in parent: Frame, at offset: Int, key: any CodingKey) throws -> CBORDecodingLevel {
    let nesting = parent.pointee.nesting + 1
    if nesting > depthLimit {
      throw error(tooDeep(offset), Never.self, in: parent)
    }
    try settleLastNested(in: parent)
    let frame = takeSpareFrame()
    begin(frame, at: offset)
    frame.pointee.parent = parent
    frame.pointee.ownKey = key
    frame.pointee.nesting = nesting
    let level = frame.pointee.level ?? CBORDecodingLevel(self, frame)
    if state.pointee.isEnded {
      // Only the level uses the frame. The path is recorded now, and the frame is recycled when the level is released.
      frame.pointee.keptPath = frame.path()
      frame.pointee.parent = nil
      frame.pointee.isRetained = true
      frame.pointee.level = nil
    } else {
      frame.pointee.level = level
      state.pointee.nested.append(frame)
    }
    return level
  }

  /// Recycles the last nested frames of `parent` that the program has released.
  ///
  /// An array of a million nested values therefore needs only one frame.
  private func settleLastNested(in parent: Frame) throws {
    while state.pointee.nested.count > parent.pointee.nestedCount, let last = state.pointee.nested.last,
      isUnshared(last)
    {
      try refuseRepeatedKeys(in: last)
      state.pointee.nested.removeLast()
      leave(last)
    }
  }

  /// Checks the nested values of a value that has been decoded.
  ///
  /// - Throws: `DecodingError` if one of them is a map with a repeated key.
  private func endNested(in frame: Frame) throws {
    for inner in state.pointee.nested[frame.pointee.nestedCount...] { try refuseRepeatedKeys(in: inner) }
  }

  private func refuseRepeatedKeys(in frame: Frame) throws {
    guard frame.pointee.kind == .map else { return }
    do {
      _ = try end(of: frame)
    } catch {
      throw self.error(error, [String: Any].self, path: frame.path())
    }
  }

  private func leaveNested(in frame: Frame) {
    while state.pointee.nested.count > frame.pointee.nestedCount {
      leave(state.pointee.nested.removeLast())
    }
  }

  /// Recycles the frame of a level that the program has released.
  func levelEnded(_ frame: Frame) {
    guard frame.pointee.isRetained else { return }
    frame.pointee.isRetained = false
    frame.pointee.keptPath = nil
    frame.pointee.isBusy = false
    recycle(frame)
  }

  // MARK: Limits

  // The cost of decoding is counted in sixteenths of a visit. A value costs one visit, an error four. A skipped item,
  // an indexed entry, a byte of a decoded array, a step of a path and 32 bytes of a value cost a sixteenth each.

  static let visit = 16

  /// Adds to the cost of the call.
  @inline(__always)
  func charge(_ cost: Int) {
    state.pointee.credit &-= cost
  }

  /// Adds the cost of the bytes of a value.
  @inline(__always)
  func charge(bytes: Int) {
    charge(bytes &>> 5)
  }

  /// Whether the cost of the call exceeds the limit.
  var isOverLimit: Bool { state.pointee.credit < 0 }

  /// Adds the cost of an item at `offset`.
  ///
  /// - Throws: A fault if the cost of the call exceeds the limit.
  @inline(__always)
  func pay(_ cost: Int, at offset: Int) throws(CBORFault) {
    charge(cost)
    if _slowPath(state.pointee.credit < 0) { throw tooManyVisits(offset) }
  }

  /// The number of bytes that may be reserved for each byte of the input.
  ///
  /// An element takes at least one byte of the input, so arrays of elements of this size always get the capacity that
  /// they announce.
  private static let reservableBytesPerByte = 16

  /// Returns the number of values, at most `count`, for which the caller may reserve `stride` bytes each.
  ///
  /// The sum of all reservations of a call is at most 16 bytes for each byte of the input. Further values get memory
  /// when they are decoded.
  @inline(__always)
  func reserve(_ count: Int, stride: Int) -> Int {
    let (bytes, overflow) = count.multipliedReportingOverflow(by: stride)
    if _fastPath(!overflow && bytes <= state.pointee.reservable) {
      state.pointee.reservable &-= bytes
      return count
    }
    let room = state.pointee.reservable / max(1, stride)
    state.pointee.reservable = 0
    return min(count, room)
  }

  /// Moves the offset past the item at `offset`.
  @inline(__always)
  func skip(_ offset: inout Int) throws(CBORFault) {
    let start = offset
    let depth = min(depthLimit, CBORInput.mostIndefiniteDepth)
    try pay(try input.pointee.skip(&offset, depth: depth), at: start)
  }
}

/// The traversal of maps and arrays.
extension CBORDecodingSession {
  /// Opens the value of `frame` as a map or array; does nothing if it is already open as that kind.
  func open(_ frame: Frame, as major: CBORMajorType) throws(CBORFault) {
    let kind = major == .map ? CBORDecodingFrame.Kind.map : .array
    if frame.pointee.kind == kind { return }
    let expected: StaticString = major == .map ? "a map" : "an array"
    guard frame.pointee.start >= 0 else { throw CBORFault(.null, at: 0, "expected \(expected), found nothing") }
    var offset = frame.pointee.start
    let header = try input.pointee.untaggedHeader(&offset)
    guard header.major == major else { throw input.pointee.mismatch(header, expected, frame.pointee.start) }
    guard frame.pointee.nesting < depthLimit else { throw tooDeep(frame.pointee.start) }
    if header.isIndefinite {
      frame.pointee.total = -1
    } else {
      frame.pointee.total = try input.pointee.elementCount(header, frame.pointee.start, offset)
      if frame.pointee.total > lengthLimit {
        throw input.pointee.tooLong(frame.pointee.total, frame.pointee.start)
      }
    }
    frame.pointee.kind = kind
    frame.pointee.content = offset
    frame.pointee.cursor = offset
    frame.pointee.passed = 0
    frame.pointee.lastKeyPlace = -1
    frame.pointee.passedNames = 0
    frame.pointee.key.place = -1
    frame.pointee.index.clear()
    // If the program retains the decoder, the value around it is complete. Only this index then finds a repeated key.
    if frame.pointee.keptPath != nil, kind == .map { try makeIndex(frame) }
  }

  /// Returns whether `offset`, after `passed` entries or elements, is the end of the container.
  @inline(__always)
  func isAtEnd(_ frame: Frame, _ passed: Int, _ offset: Int) throws(CBORFault) -> Bool {
    if frame.pointee.total >= 0 { return passed >= frame.pointee.total }
    if try input.pointee.isBreak(at: offset) { return true }
    if passed >= lengthLimit {
      throw input.pointee.tooLong(passed + 1, frame.pointee.start)
    }
    return false
  }

  /// Returns the offset after the value of `frame`, and skips the parts that were not decoded.
  @inline(__always)
  func end(of frame: Frame) throws(CBORFault) -> Int {
    if frame.pointee.kind == .map, !frame.pointee.index.isMade {
      // Keys that were decoded in order are different, so none is repeated.
      if _fastPath(frame.pointee.passed == frame.pointee.total) { return frame.pointee.cursor }
    } else if frame.pointee.end >= 0 {
      return frame.pointee.end
    }
    return try findEnd(of: frame)
  }

  @inline(never)
  private func findEnd(of frame: Frame) throws(CBORFault) -> Int {
    var offset: Int
    switch frame.pointee.kind {
    case .map:
      try makeIndex(frame)
      return frame.pointee.end
    case .array:
      offset = frame.pointee.cursor
      var passed = frame.pointee.passed
      while try !isAtEnd(frame, passed, offset) {
        try skip(&offset)
        passed += 1
      }
      if frame.pointee.total < 0 { offset += 1 }
    case .unread, .value:
      offset = max(0, frame.pointee.start)
      try skip(&offset)
    }
    frame.pointee.end = offset
    return offset
  }

  // MARK: Keys

  /// Returns the offset of the value whose key is `text` or `number`.
  @inline(never)
  func findInIndex(
    _ text: UnsafeRawBufferPointer, _ number: Int?, _ frame: Frame
  ) throws(CBORFault) -> Int? {
    try makeIndex(frame)
    let named = frame.pointee.index.find(text: text, input.pointee)
    if let named, number == nil { return frame.pointee.index[named].value }
    let other = try frame.pointee.index.findOther { entry throws(CBORFault) in
      try matches(entry, text, number)
    }
    if let named, let other { throw CBORMapIndex.repeatedKey(at: frame.pointee.index[max(named, other)].keyStart) }
    return (named ?? other).map { frame.pointee.index[$0].value }
  }

  /// Returns the offset of the value whose key is `text` or `number`, for a key whose type has no table.
  func find(_ text: String, number: Int? = nil, in frame: Frame) throws(CBORFault) -> Int? {
    if convertsKeys { return try findConverted(text, number, frame) }
    var text = text
    let found: Result<Int?, CBORFault> = text.withUTF8 { utf8 in
      Result { () throws(CBORFault) in try findInIndex(UnsafeRawBufferPointer(utf8), number, frame) }
    }
    return try found.get()
  }

  enum Key: Hashable {
    case text(String)
    case number(Int)
  }

  /// Returns the key at an index, converted by the strategy of the decoder; `nil` if it is neither text nor an `Int`.
  ///
  /// - Throws: A fault if the key is text that is not UTF-8 or exceeds the limit.
  func key(at place: Int, of frame: Frame) throws(CBORFault) -> Key? {
    let start = frame.pointee.index[place].keyStart
    var offset = start
    let header = try input.pointee.untaggedHeader(&offset)
    offset = start
    guard header.major == .textString else { return (try? input.pointee.integer(&offset)).map { .number($0) } }
    let text = try input.pointee.text(&offset)
    return .text(convertsKeys ? text.convertedFromSnakeCase : text)
  }

  /// Returns whether a key that is not text of definite length equals `text` or `number`.
  private func matches(
    _ entry: CBORMapIndex.Entry, _ text: UnsafeRawBufferPointer, _ number: Int?
  ) throws(CBORFault) -> Bool {
    var offset = entry.keyStart
    try pay(1, at: offset)
    switch try input.pointee.untaggedHeader(&offset).major {
    case .textString:
      offset = entry.keyStart
      return try input.pointee.text(&offset).utf8.elementsEqual(text)
    case .unsignedInteger, .negativeInteger:
      guard let number else { return false }
      offset = entry.keyStart
      let key: Int128 = try input.pointee.integer(&offset)
      return key == Int128(number)
    default: return false
    }
  }

  /// Indexes all entries of the map, and throws if it has a repeated key.
  func makeIndex(_ frame: Frame) throws(CBORFault) {
    if frame.pointee.index.isMade { return }
    if let refusal = frame.pointee.index.refusal { throw refusal }
    frame.pointee.index.clear()
    var offset = frame.pointee.content
    var count = 0
    while try !isAtEnd(frame, count, offset) {
      let keyStart = offset
      let header = try input.pointee.untaggedHeader(&offset)
      var textLength = -1
      var digest: UInt64 = 0
      if header.major == .textString, !header.isIndefinite {
        textLength = try input.pointee.length(header, keyStart, offset)
        let text = UnsafeRawBufferPointer(start: input.pointee.base + offset, count: textLength)
        digest = CBORMapIndex.digest(of: text)
        offset &+= textLength
      } else {
        offset = keyStart
        try skip(&offset)
      }
      let value = offset
      try pay(1, at: offset)
      try skip(&offset)
      frame.pointee.index.append(
        CBORMapIndex.Entry(keyStart: keyStart, textLength: textLength, value: value, digest: digest))
      count &+= 1
    }
    if frame.pointee.total < 0 { offset += 1 }
    // The names of fields are not converted.
    if convertsKeys, frame.pointee.key.place != CBORCurrentKey.namePlace { try convertKeys(of: frame) }
    let names = frame.pointee.lastKeyPlace >= 0 ? frame.pointee.lastKeyNames : nil
    try frame.pointee.index.finish(input.pointee, names.map { Unmanaged.fromOpaque($0).takeUnretainedValue() })
    if frame.pointee.index.isLarge { requireTidying() }
    frame.pointee.end = offset
  }
}

extension CBORInput {
  /// Returns whether the bytes at `offset` are equal to the bytes of `name`.
  @inline(__always)
  func hasBytes(_ name: CBORKeyNames.Name, at offset: Int) -> Bool {
    guard _fastPath(name.count <= count &- offset) else { return false }
    return memcmp(base + offset, name.bytes.unsafelyUnwrapped, name.count) == 0
  }

  /// Returns whether the text at `offset` equals `text`, which has fewer than 24 bytes.
  @inline(__always)
  func hasText(_ text: UnsafePointer<UInt8>, _ length: Int, at offset: Int) -> Bool {
    guard _fastPath(length < count &- offset) else { return false }
    return base[offset] == CBORMajorType.textString.initialByte | UInt8(truncatingIfNeeded: length)
      && memcmp(base + (offset &+ 1), text, length) == 0
  }
}

/// The conversion of faults to the errors that the program gets.
extension CBORDecodingSession {
  func tooDeep(_ offset: Int) -> CBORFault {
    CBORFault(.limit, at: offset, "more than \(depthLimit) nested maps and arrays")
  }

  func tooManyVisits(_ offset: Int) -> CBORFault {
    CBORFault(.limit, at: offset, "decoding exceeds the limit of visits to the same bytes")
  }

  /// Returns `text` after the position of the byte at `offset`, such as `at byte 7: `.
  func located(_ text: String, at offset: Int) -> String {
    "at byte \(origin + offset): \(text)"
  }

  /// Returns the error for a fault at the current entry of `frame`.
  func error(_ fault: CBORFault, _ type: Any.Type, in frame: Frame) -> DecodingError {
    guard let key = frame.pointee.currentKey else { return error(fault, type, of: frame) }
    return error(fault, type, at: key, in: frame)
  }

  /// Returns the error for a fault at the entry with `key` in `frame`.
  func error(_ fault: CBORFault, _ type: Any.Type, at key: any CodingKey, in frame: Frame) -> DecodingError {
    if frame.pointee.entryPathOwner == frame.pointee.number {
      // This changes the path in place, unless the program retains the previous error, which shares the array.
      frame.pointee.entryPath[frame.pointee.entryPath.count - 1] = key
    } else {
      frame.pointee.entryPath = path(of: frame)
      frame.pointee.entryPath.append(key)
      frame.pointee.entryPathOwner = frame.pointee.number
    }
    requireTidying()
    charge(frame.pointee.entryPath.count)
    return error(fault, type, path: frame.pointee.entryPath)
  }

  /// Returns the error for a fault in the value of `frame`.
  func error(_ fault: CBORFault, _ type: Any.Type, of frame: Frame) -> DecodingError {
    error(fault, type, path: path(of: frame))
  }

  /// Returns the path of the value of `frame`, and stores it for the errors of further attempts to decode the value.
  ///
  /// The path of the next value in the same map or array differs only in its last step, which is replaced.
  private func path(of frame: Frame) -> [any CodingKey] {
    if frame.pointee.pathOwner == frame.pointee.number { return frame.pointee.path }
    if let parent = frame.pointee.parent, frame.pointee.keptPath == nil {
      // The same path is not stored twice: with a second reference, the next change would copy it.
      guard let step = frame.pointee.ownKey ?? parent.pointee.currentKey else { return path(of: parent) }
      let last = frame.pointee.path.count - 1
      if last >= 0, frame.pointee.pathParent == parent.pointee.number {
        frame.pointee.path[last] = step
      } else {
        frame.pointee.path = path(of: parent)
        frame.pointee.path.append(step)
        frame.pointee.pathParent = parent.pointee.number
      }
    } else {
      frame.pointee.path = frame.path()
      frame.pointee.pathParent = -1
    }
    frame.pointee.pathOwner = frame.pointee.number
    requireTidying()
    charge(frame.pointee.path.count)
    return frame.pointee.path
  }

  func error(_ fault: CBORFault, _ type: Any.Type, path: [any CodingKey]) -> DecodingError {
    // An error takes four times as long as a value.
    charge(4 * Self.visit)
    if _slowPath(isOverLimit) {
      // All further attempts fail as well; the limit is the cause to report.
      return .dataCorrupted(
        DecodingError.Context(codingPath: path, debugDescription: tooManyVisits(fault.offset).located(from: origin)))
    }
    let context = DecodingError.Context(codingPath: path, debugDescription: fault.located(from: origin))
    return switch fault.kind {
    case .mismatch: .typeMismatch(type, context)
    case .null: .valueNotFound(type, context)
    case .truncated, .malformed, .missing, .limit: .dataCorrupted(context)
    }
  }
}
