// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// The state of one call of an encoder, reused by later calls: the bytes, a frame for each depth, plans and key names.
///
/// ```
///   value.encode(to: level) --> container --> session.writer --> Data
///                                   |
///                                 frame: start, count, current key
/// ```
///
/// In comments on the coders, the program is the code that calls them and that they call, such as `encode(to:)`.
///
/// Values nest as calls do. A value appends its bytes, and its header is corrected when its `encode(to:)` returns. Each
/// depth has one encoder for its values. The reference count shows whether the program retains the encoder, or a
/// container that refers to it, beyond its call. The session replaces such an encoder.
///
/// The program can write to nested containers and encoders in any order. Each of these therefore has a session of its
/// own, whose bytes are inserted when the value around it is complete.
final class CBOREncodingSession {
  typealias Frame = CBOREncodingFrame.Pointer

  let writer: UnsafeMutablePointer<CBORWriter>
  private let plans = CBORTypeCache<CBOREncodingPlan>()
  private let tables = CBORTypeCache<CBORKeyNames>()
  private let state: UnsafeMutablePointer<State>

  /// The mutable state, in memory that is accessed without exclusivity checks.
  private struct State {
    var options = CBOREncoder.Options()
    var userInfo: [CodingUserInfoKey: Any] = [:]
    var isShared = false
    /// Whether a frame retains a key of the program, which must not outlive the call.
    var needsTidying = false
    var frames: [Frame] = []
    var inserts: [Insert] = []
  }

  /// The bytes of a nested encoder, and the offset at which they will be inserted.
  private struct Insert {
    let offset: Int
    let session: CBOREncodingSession
  }

  init() {
    writer = .allocate(capacity: 1)
    writer.initialize(to: CBORWriter())
    state = .allocate(capacity: 1)
    state.initialize(to: State())
    _ = makeFrame()
  }

  deinit {
    for frame in state.pointee.frames {
      frame.pointee.encoder.deallocate()
      frame.deinitialize(count: 1)
      frame.deallocate()
    }
    state.deinitialize(count: 1)
    state.deallocate()
    writer.pointee.deallocate()
    writer.deallocate()
  }

  var options: CBOREncoder.Options { state.pointee.options }
  /// The user info of the encoder; empty when a call begins.
  var userInfo: [CodingUserInfoKey: Any] {
    get { state.pointee.userInfo }
    set { state.pointee.userInfo = newValue }
  }
  @inline(__always) var depthLimit: Int { state.pointee.options.limits.depth }

  /// Whether the program retains an object of this session, so that no other call may use the session.
  var isShared: Bool { state.pointee.isShared }

  // MARK: Calls

  /// Begins a call.
  func begin(_ options: CBOREncoder.Options) {
    begin(options, in: nil, key: nil)
  }

  /// Begins a call, or a value inside `parent`'s value.
  private func begin(_ options: CBOREncoder.Options, in parent: Frame?, key: (any CodingKey)?) {
    if _slowPath(options.order != state.pointee.options.order) {
      for frame in state.pointee.frames { frame.pointee.sortsEntries = options.order != .written }
    }
    state.pointee.options = options
    writer.pointee.count = 0
    outermost.pointee.parent = parent
    outermost.pointee.nesting = 0
    outermost.pointee.ownKey = key
  }

  var outermost: Frame { state.pointee.frames[0] }

  /// Encodes the outermost value.
  func encodeOutermost<Value: Encodable>(_ value: Value) throws {
    let frame = outermost
    begin(frame)
    frame.pointee.kind = .value
    defer { leave(frame) }
    try encode(value, in: frame)
  }

  /// Returns the encoded bytes.
  ///
  /// A small output is copied. A large output takes over the writer's memory.
  func takeBytes() -> Data {
    let count = writer.pointee.count
    if count < 1 << 14 { return Data(bytes: writer.pointee.base, count: count) }
    return writer.pointee.take()
  }

  /// Records that a frame retains a key of the program.
  func requireTidying() {
    state.pointee.needsTidying = true
  }

  /// Ends a call: releases everything that belongs to the program.
  func end() {
    if !userInfo.isEmpty { userInfo = [:] }
    outermost.pointee.parent = nil
    outermost.pointee.ownKey = nil
    guard state.pointee.needsTidying else { return }
    state.pointee.needsTidying = false
    for frame in state.pointee.frames { frame.pointee.key.other = nil }
  }

  /// Releases the levels, which retain the session: otherwise it would never be freed.
  func dissolve() {
    state.pointee.inserts.removeAll()
    writer.pointee.deallocate()
    writer.pointee = CBORWriter()
    for frame in state.pointee.frames {
      frame.pointee.kind = .finished
      frame.pointee.level = nil
    }
  }

  func names<Key: CodingKey>(of type: Key.Type) -> CBORKeyNames? {
    // Frames refer to tables without retaining them, so each table must be stored.
    tables.value(for: type) { tables.isFull ? nil : CBORKeyNames.table(for: type) }
  }

  /// Returns the plan for `type`; `nil` if its values use `encode(to:)`.
  @inline(__always)
  func plan<Value>(for type: Value.Type) -> CBOREncodingPlan? {
    plans.value(for: type) { CBOREncodingPlan.plan(for: type) }
  }

  // MARK: Nested values

  /// Appends `value`, a part of `parent`'s value.
  ///
  /// - Throws: The errors of `value`, and `EncodingError` if it is nested too deeply. The caller removes the bytes that
  ///   were written.
  @inline(__always)
  func encode<Value: Encodable>(_ value: Value, in parent: Frame) throws {
    if let plan = plan(for: Value.self) {
      try withUnsafePointer(to: value) { try plan.encode(UnsafeRawPointer($0), self, parent) }
    } else {
      try encodePlain(value, in: try frame(in: parent))
    }
  }

  /// Calls the `encode(to:)` of `value` with the encoder of `frame`.
  @inline(__always)
  func encodePlain<Value: Encodable>(_ value: Value, in frame: Frame) throws {
    try encodePlain(in: frame) { encoder in try Self.encode(value, to: &encoder) }
  }

  /// Calls `encode(to:)` of an array element with the encoder of `frame`.
  ///
  /// An argument that is not `inout` would be copied. Nothing is written to the `inout` argument.
  @inline(__always)
  func encodePlain<Value: Encodable>(inPlace value: inout Value, in frame: Frame) throws {
    try encodePlain(in: frame) { encoder in try Self.encode(inPlace: &value, to: &encoder) }
  }

  @inline(__always)
  private func encodePlain(in frame: Frame, _ body: (inout any Encoder) throws -> Void) throws {
    do {
      try body(&frame.pointee.encoder.pointee)
      try complete(frame)
    } catch {
      leave(frame)
      throw error
    }
    leave(frame)
  }

  // The compiler knows that nothing else writes to an `inout` argument, so it does not copy the encoder for the call.

  @inline(never)
  private static func encode<Value: Encodable>(_ value: Value, to encoder: inout any Encoder) throws {
    try value.encode(to: encoder)
  }

  @inline(never)
  private static func encode<Value: Encodable>(inPlace value: inout Value, to encoder: inout any Encoder) throws {
    try value.encode(to: encoder)
  }

  // MARK: Frames

  private func makeFrame() -> Frame {
    let frame = Frame.allocate(capacity: 1)
    frame.initialize(to: CBOREncodingFrame())
    frame.pointee.sortsEntries = options.order != .written
    let level = CBOREncodingLevel(self, frame)
    frame.pointee.level = level
    frame.pointee.encoder.initialize(to: level)
    // The encoder is never deinitialized, so its reference is released here. `frame.level` remains the only one.
    Unmanaged.passUnretained(level).release()
    state.pointee.frames.append(frame)
    return frame
  }

  /// Begins a value inside `parent`'s value.
  ///
  /// - Throws: `EncodingError` if the value is nested too deeply.
  @inline(__always)
  func frame(in parent: Frame) throws -> Frame {
    let nesting = parent.pointee.nesting &+ (parent.pointee.kind == .value ? 0 : 1)
    if _slowPath(nesting > depthLimit) { throw tooDeep(parent) }
    var frame = parent.pointee.inner ?? makeInner(parent)
    // The frame is busy only if a nested value writes to a container of a value around it.
    if _slowPath(frame.pointee.isBusy) { frame = makeFrame() }
    begin(frame)
    frame.pointee.parent = parent
    frame.pointee.nesting = nesting
    return frame
  }

  /// Begins a map or array inside `parent`'s value.
  @inline(__always)
  func containerFrame(in parent: Frame) throws -> Frame {
    let frame = try frame(in: parent)
    if _slowPath(frame.pointee.nesting >= depthLimit) {
      leaveOwn(frame)
      throw tooDeep(parent)
    }
    return frame
  }

  private func makeInner(_ parent: Frame) -> Frame {
    let frame = makeFrame()
    parent.pointee.inner = frame
    return frame
  }

  /// Begins a value at the end of the bytes.
  @inline(__always)
  private func begin(_ frame: Frame) {
    frame.pointee.isBusy = true
    frame.pointee.kind = .empty
    frame.pointee.mayRepeatKeys = false
    frame.pointee.start = writer.pointee.count
    frame.pointee.count = 0
    frame.pointee.key.place = -1
    frame.pointee.insertCount = state.pointee.inserts.count
  }

  /// Inserts the bytes of nested encoders and corrects the header.
  @inline(__always)
  func complete(_ frame: Frame) throws {
    if _slowPath(state.pointee.inserts.count > frame.pointee.insertCount) {
      try insertAll(frame)
      // The entries have moved, so their recorded offsets are outdated.
      if frame.pointee.sortsEntries { frame.pointee.mayRepeatKeys = true }
    }
    if _slowPath(frame.pointee.misuse != nil) { throw misused(frame) }
    switch frame.pointee.kind {
    case .map:
      if _slowPath(frame.pointee.mayRepeatKeys) {
        arrange(frame)
      } else if _slowPath(frame.pointee.sortsEntries) {
        sortEntries(frame, count: frame.pointee.count, options.order)
      }
      finishHeader(.map, frame)
    case .array:
      finishHeader(.array, frame)
    case .empty:
      // Foundation's coders encode a value without fields as an empty map, too.
      writer.pointee.write(byte: CBORByte.emptyMap)
    case .value, .finished:
      break
    }
  }

  /// Ends a value, complete or not.
  @inline(__always)
  private func leave(_ frame: Frame) {
    if _slowPath(state.pointee.inserts.count > frame.pointee.insertCount) { dropInserts(frame) }
    frame.pointee.isBusy = false
    frame.pointee.kind = .finished
    // Another error came first; the misuse must not be reported for the next value.
    if _slowPath(frame.pointee.misuse != nil) { frame.pointee.misuse = nil }
    if _slowPath(!isUnshared(frame)) { replace(frame) }
  }

  /// Returns whether the program retains no encoder or container of the frame.
  @inline(__always)
  private func isUnshared(_ frame: Frame) -> Bool {
    isKnownUniquelyReferenced(&frame.pointee.level)
  }

  /// Ends a value whose frame was never passed to the program.
  @inline(__always)
  func leaveOwn(_ frame: Frame) {
    frame.pointee.isBusy = false
  }

  /// Detaches the frame, because the program retains its encoder or a container; these only throw from now on.
  private func replace(_ frame: Frame) {
    state.pointee.isShared = true
    frame.pointee.keptPath = frame.path()
    frame.pointee.level = nil
    let parent = frame.pointee.parent
    frame.pointee.parent = nil
    guard let parent, parent.pointee.inner == frame else { return }
    parent.pointee.inner = nil
  }

  @inline(__always)
  private func finishHeader(_ major: CBORMajorType, _ frame: Frame) {
    let count = frame.pointee.count
    if _fastPath(count < 24) {
      (writer.pointee.base + frame.pointee.start).storeBytes(
        of: major.initialByte | UInt8(truncatingIfNeeded: count), as: UInt8.self)
    } else {
      writer.pointee.lengthenHeader(major, count, at: frame.pointee.start)
    }
  }

  /// Sorts the first `count` entries that `frame` has recorded.
  @inline(never)
  func sortEntries(_ frame: Frame, count: Int, _ order: CBOREncoder.KeyOrder = .deterministic) {
    writer.pointee.sortEntries(at: frame.pointee.entryStarts.prefix(count), order)
    frame.pointee.entryStarts.removeAll(keepingCapacity: count < 1024)
  }

  private func arrange(_ frame: Frame) {
    frame.pointee.count = CBORMapArrangement.arrange(
      &writer.pointee, from: frame.pointee.start + 1, options.order)
  }

  // MARK: Nested encoders

  /// Returns an encoder that the program can use until `parent`'s value is complete.
  ///
  /// The bytes of the encoder will be inserted at the current end of this session's bytes.
  func nestedLevel(in parent: Frame, key: any CodingKey) -> CBOREncodingLevel {
    let session = CBOREncodingSessionPool.take()
    session.begin(options, in: parent, key: key)
    if !userInfo.isEmpty { session.userInfo = userInfo }
    let frame = session.outermost
    session.begin(frame)
    frame.pointee.nesting = parent.pointee.nesting + 1
    state.pointee.inserts.append(Insert(offset: writer.pointee.count, session: session))
    return frame.pointee.level.unsafelyUnwrapped
  }

  /// Returns an encoder that throws an error for every value.
  static func finishedLevel() -> CBOREncodingLevel {
    let session = CBOREncodingSession()
    let level = session.outermost.pointee.level.unsafelyUnwrapped
    session.dissolve()
    return level
  }

  /// Inserts the bytes of the last nested encoder of `frame`, if the program has released the encoder and has written
  /// nothing to the frame since.
  ///
  /// A million nested containers, one after another, therefore need only one session.
  func settleLast(_ frame: Frame) {
    guard state.pointee.inserts.count > frame.pointee.insertCount, let last = state.pointee.inserts.last,
      last.offset == writer.pointee.count, last.session.isSettled()
    else { return }
    do {
      try last.session.complete(last.session.outermost)
    } catch {
      // A settled session has no error. If it had an error, completing the outer value would throw that error.
      return
    }
    writer.pointee.insert(last.session.writer.pointee.bytes, at: last.offset)
    state.pointee.inserts.removeLast()
    last.session.leave(last.session.outermost)
    CBOREncodingSessionPool.give(last.session)
  }

  /// Returns whether the program retains nothing that writes to this session, and completing it cannot throw.
  private func isSettled() -> Bool {
    settleLast(outermost)
    return state.pointee.inserts.isEmpty && outermost.pointee.misuse == nil && isUnshared(outermost)
  }

  private func insertAll(_ frame: Frame) throws {
    let inserts = state.pointee.inserts[frame.pointee.insertCount...]
    var count = 0
    for insert in inserts {
      try insert.session.complete(insert.session.outermost)
      count += insert.session.writer.pointee.count
    }
    writer.pointee.insert(inserts.map { ($0.offset, $0.session.writer.pointee.bytes) }, byteCount: count)
    dropInserts(frame)
  }

  private func dropInserts(_ frame: Frame) {
    while state.pointee.inserts.count > frame.pointee.insertCount {
      let session = state.pointee.inserts.removeLast().session
      session.leave(session.outermost)
      CBOREncodingSessionPool.give(session)
    }
  }
}

// MARK: Errors

extension CBOREncodingSession {
  func tooDeep(_ frame: Frame) -> EncodingError {
    .invalidValue(frame.pointee.nesting, context(frame, "more than \(depthLimit) nested maps and arrays"))
  }

  private func misused(_ frame: Frame) -> EncodingError {
    let text = frame.pointee.misuse.map { "\($0)" } ?? ""
    frame.pointee.misuse = nil
    return .invalidValue(text, EncodingError.Context(codingPath: frame.path(), debugDescription: text))
  }

  /// Returns the error for a value that was encoded too late or as a second value.
  func refusal(of value: Any, _ frame: Frame) -> EncodingError {
    let text =
      switch frame.pointee.kind {
      case .finished: "encoded to a container after its value was complete"
      case .map, .array: "encoded to a container while one of its values is being encoded, or as a second value"
      case .empty, .value: "a value encoded itself more than once, or as more than one kind of item"
      }
    return .invalidValue(value, EncodingError.Context(codingPath: frame.path(), debugDescription: text))
  }

  /// Returns the context of an error at the current entry of `frame`.
  func context(_ frame: Frame, _ text: String) -> EncodingError.Context {
    let path = frame.path() + (frame.pointee.currentKey.map { [$0] } ?? [])
    return EncodingError.Context(codingPath: path, debugDescription: text)
  }
}
