// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// All that one call of a decoder needs, kept for the next: a frame for each depth, what is known of types and keys.
///
/// ```
///   Data --> session.input --> container --> Value(from: level)
///                                  |
///                                frame: start, cursor, index of keys
/// ```
///
/// A value is read where it lies, by a cursor that expects the keys in the order in which they are asked for; only a
/// key that is not the next one makes the map's keys be looked through, once. As in ``CBOREncodingSession``, decoders
/// and containers are made once for each depth and type of key, and one that the program keeps is noticed and left to
/// it.
final class CBORDecodingSession {
  typealias Frame = CBORDecodingFrame.Pointer

  let input: UnsafeMutablePointer<CBORInput>
  let plans = CBORPlanCache<CBORDecodingPlan>()
  /// For the extensions of this class alone.
  let state: UnsafeMutablePointer<State>

  /// Where values are made that are then moved to their places: those in progress, one behind the other.
  private let scratch = UnsafeMutableRawPointer.allocate(byteCount: scratchCapacity, alignment: 16)
  private static let scratchCapacity = 1 << 16

  /// What changes, in memory that is accessed without asking whether somebody else does.
  struct State {
    var options = CBORDecoder.Options()
    var userInfo: [CodingUserInfoKey: Any] = [:]
    /// Where the input's first byte is for those who read of errors.
    var origin = 0
    /// How much more may be read; see ``CBORDecodingSession/visit``.
    var credit = 0
    /// How many values have been begun, in all runs.
    var begunCount = 0
    /// How many more bytes may be reserved for values that have not been seen.
    var reservable = 0
    var scratchCount = 0
    /// A frame keeps something of the program's, or much memory, that must not outlast the run.
    var mustTidy = false
    /// The program holds a decoder or container, whose frame must be left as it is.
    var isShared = false
    /// The call is over, and only the program holds on to the session.
    var isEnded = false
    var frames: [Frame] = []
    /// Of values the program may read at any time, while the values around them are in progress.
    var beside: [Frame] = []
    /// Frames of no depth, to be used again.
    var spare: [Frame] = []
    var tables = CBORKeyNameTables()
    /// The bytes, where the program holds something that reads them.
    var ownedBytes: UnsafeMutablePointer<UInt8>?
  }

  /// Where an input without bytes is.
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
      frame.pointee.containers.deallocate()
      frame.pointee.index.deallocate()
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
  /// What the program passes to the values; empty at the beginning of a run.
  var userInfo: [CodingUserInfoKey: Any] {
    get { state.pointee.userInfo }
    set { state.pointee.userInfo = newValue }
  }
  @inline(__always) var depthLimit: Int { state.pointee.options.limits.depth }
  @inline(__always) var lengthLimit: Int { input.pointee.lengthLimit }

  /// Something of this session is still held by the program: nobody else may get it.
  var isShared: Bool { state.pointee.isShared }

  var outermost: Frame { state.pointee.frames[0] }

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

  /// The bytes will not be there any longer: what the program still holds gets a copy of them.
  func end() {
    if isShared {
      state.pointee.isEnded = true
      let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: max(1, input.pointee.count))
      copy.initialize(from: input.pointee.base, count: input.pointee.count)
      state.pointee.ownedBytes = copy
      input.pointee.base = UnsafePointer(copy)
    } else {
      if state.pointee.mustTidy { tidy() }
      input.pointee = CBORInput(base: UnsafePointer(nothing), count: 0)
      if !state.pointee.userInfo.isEmpty { state.pointee.userInfo = [:] }
    }
  }

  /// A frame holds on to a key of the program's.
  func noteKeptKey() {
    state.pointee.mustTidy = true
  }

  private func tidy() {
    state.pointee.mustTidy = false
    for frame in state.pointee.frames {
      frame.pointee.key.other = nil
      frame.pointee.path = []
      frame.pointee.entryPath = []
      frame.pointee.entryPathOwner = -1
      frame.pointee.index.clear()
    }
  }

  /// Whether it has grown so much by one value that it is better made anew.
  var isOversized: Bool { state.pointee.frames.count > Self.restingFrameCount }
  private static let restingFrameCount = 1024

  /// Lets go of the levels and containers, which hold on to the session.
  ///
  /// What the program holds goes on reading, by levels that last for a call.
  func dissolve() {
    for frame in state.pointee.frames {
      frame.pointee.level = nil
      frame.pointee.containers.close()
    }
  }

  func names<Key: CodingKey>(of type: Key.Type) -> CBORKeyNames? {
    state.pointee.tables.table(for: type)
  }

  /// Reads the value at `offset`, which is within no other.
  func decodeOutermost<Value: Decodable>(_ type: Value.Type, _ offset: inout Int) throws -> Value {
    let frame = outermost
    begin(frame, at: offset)
    frame.pointee.kind = .value
    defer { leave(frame) }
    return try decode(type, &offset, in: frame)
  }

  /// - Throws: `DecodingError` where there are bytes behind the value.
  func expectEnd(at offset: Int) throws {
    let left = input.pointee.count - offset
    if left > 0 {
      throw error(CBORFault(at: offset, "\(left) byte\(left == 1 ? "" : "s") behind the value"), Never.self, path: [])
    }
  }

  // MARK: Values inside of values

  /// Reads the value at `offset`, a part of `parent`'s, and leaves the offset behind it.
  @inline(__always)
  func decode<Value: Decodable>(_ type: Value.Type, _ offset: inout Int, in parent: Frame) throws -> Value {
    if let plan = plans.plan(for: Value.self) {
      return try decode(type, by: plan, &offset, in: parent)
    }
    return try decodePlain(type, &offset, in: parent)
  }

  /// Reads a value by its plan, into memory for a moment: the standard library's way to such memory looks up a generic
  /// type each time.
  @inline(__always)
  func decode<Value>(
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

  /// Has a value read itself.
  @inline(__always)
  func decodePlain<Value: Decodable>(_ type: Value.Type, _ offset: inout Int, in parent: Frame) throws -> Value {
    let frame = try frame(in: parent, at: offset)
    if _slowPath(frame.pointee.level == nil) { frame.pointee.level = CBORDecodingLevel(self, frame) }
    do {
      let value = try Value(from: frame.pointee.level.unsafelyUnwrapped)
      if _slowPath(state.pointee.beside.count > frame.pointee.besideCount) { try endBeside(frame) }
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
}
