// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// All that one call of an encoder needs, kept for the next one: the bytes, a frame for each depth, what is known of
/// types and keys.
///
/// ```
///   value.encode(to: level) --> container --> session.writer --> Data
///                                   |
///                                 frame: start, count, key in progress
/// ```
///
/// Values nest as calls do, so a value writes at the end of the bytes, and its header is put right when its call
/// returns. One object a depth is the encoder of whatever value is at that depth, one container a depth and type of
/// key is that of whatever map: nothing is allocated for a value. A container or encoder that the program keeps beyond
/// its call is noticed by its reference count, and replaced.
///
/// Nested containers and encoders that a program asks for by name may be written to in any order. Each gets a session
/// of its own, whose bytes go where it was asked for as soon as the value around it is complete.
final class CBOREncodingSession {
  typealias Frame = CBOREncodingFrame.Pointer

  let writer: UnsafeMutablePointer<CBORWriter>
  let plans = CBORPlanCache<CBOREncodingPlan>()
  /// For the extensions of this class alone.
  let state: UnsafeMutablePointer<State>

  /// What changes, in memory that is accessed without asking whether somebody else does.
  struct State {
    var options = CBOREncoder.Options()
    var userInfo: [CodingUserInfoKey: Any] = [:]
    var isShared = false
    /// A frame holds on to a key of the program's, which must not outlast the run.
    var mustTidy = false
    var frames: [Frame] = []
    var tables = CBORKeyNameTables()
    var inserts: [CBORInsert] = []
    var sorter = CBOREntrySorter()
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
      frame.pointee.containers.deallocate()
      frame.pointee.entryStarts.deallocate()
      frame.pointee.encoder.deallocate()
      frame.deinitialize(count: 1)
      frame.deallocate()
    }
    state.pointee.sorter.deallocate()
    state.deinitialize(count: 1)
    state.deallocate()
    writer.pointee.deallocate()
    writer.deallocate()
  }

  var options: CBOREncoder.Options { state.pointee.options }
  /// What the program passes to the values; empty at the beginning of a run.
  var userInfo: [CodingUserInfoKey: Any] {
    get { state.pointee.userInfo }
    set { state.pointee.userInfo = newValue }
  }
  @inline(__always) var depthLimit: Int { state.pointee.options.limits.depth }

  /// Something of this session is still held by the program: nobody else may get it.
  var isShared: Bool { state.pointee.isShared }

  /// Begins another run, whose outermost value is a part of `parent`'s where there is one.
  func begin(_ options: CBOREncoder.Options, in parent: Frame? = nil, key: (any CodingKey)? = nil) {
    if _slowPath(options.order != state.pointee.options.order) {
      for frame in state.pointee.frames { frame.pointee.sortsEntries = options.order == .deterministic }
    }
    state.pointee.options = options
    writer.pointee.count = 0
    outermost.pointee.parent = parent
    outermost.pointee.nesting = 0
    outermost.pointee.ownKey = key
  }

  var outermost: Frame { state.pointee.frames[0] }

  /// Writes a value that is within no other.
  func encodeOutermost<Value: Encodable>(_ value: Value) throws {
    let frame = outermost
    begin(frame)
    frame.pointee.kind = .value
    defer { leave(frame) }
    try encode(value, in: frame)
  }

  /// What has been written; a large output is given away, a small one copied.
  func takeBytes() -> Data {
    let count = writer.pointee.count
    if count < 1 << 14 { return Data(bytes: writer.pointee.base, count: count) }
    let (bytes, _, pages) = writer.pointee.take()
    guard let pages else { return Data(bytesNoCopy: bytes, count: count, deallocator: .free) }
    // Of which length the data is by then says nothing of the pages.
    return Data(bytesNoCopy: bytes, count: count, deallocator: .custom { _, _ in pages.giveBack() })
  }

  /// A frame holds on to a key of the program's.
  func noteKeptKey() {
    state.pointee.mustTidy = true
  }

  /// Forgets what belongs to the program; the session is to rest.
  func end() {
    if !userInfo.isEmpty { userInfo = [:] }
    outermost.pointee.parent = nil
    outermost.pointee.ownKey = nil
    guard state.pointee.mustTidy else { return }
    state.pointee.mustTidy = false
    for frame in state.pointee.frames { frame.pointee.key.other = nil }
  }

  /// The levels hold on to the session, which would else never go.
  func dissolve() {
    state.pointee.inserts.removeAll()
    writer.pointee.deallocate()
    writer.pointee = CBORWriter()
    for frame in state.pointee.frames {
      frame.pointee.kind = .finished
      frame.pointee.level = nil
      frame.pointee.containers.close()
    }
  }

  func names<Key: CodingKey>(of type: Key.Type) -> CBORKeyNames? {
    state.pointee.tables.table(for: type)
  }

  // MARK: Values inside of values

  /// Writes `value`, a part of `parent`'s, where the writer is.
  ///
  /// - Throws: What `value` throws, and `EncodingError` where it is nested too deeply. The caller takes back what has
  ///   been written.
  @inline(__always)
  func encode<Value: Encodable>(_ value: Value, in parent: Frame) throws {
    if let plan = plans.plan(for: Value.self) {
      try withUnsafePointer(to: value) { try plan.encode(UnsafeRawPointer($0), self, parent) }
    } else {
      try encodePlain(value, in: try frame(in: parent))
    }
  }

  /// Has `value` write itself into `frame`.
  @inline(__always)
  func encodePlain<Value: Encodable>(_ value: Value, in frame: Frame) throws {
    try encodePlain(in: frame) { encoder in try Self.encode(value, to: &encoder) }
  }

  /// Has an element of an array write itself into `frame`.
  ///
  /// It is `inout` because it would be copied as a plain argument; nothing is written to it.
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

  // Of what comes as `inout` to a function of its own, the compiler knows that nobody else writes to it meanwhile, so
  // that it need not be copied for the call.

  @inline(never)
  private static func encode<Value: Encodable>(_ value: Value, to encoder: inout any Encoder) throws {
    try value.encode(to: encoder)
  }

  @inline(never)
  private static func encode<Value: Encodable>(inPlace value: inout Value, to encoder: inout any Encoder) throws {
    try value.encode(to: encoder)
  }
}
