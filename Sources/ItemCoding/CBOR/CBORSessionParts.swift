// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// A step of a coding path without a key of the program: an index, a dictionary key, a field name or `super`.
///
/// An existential stores it inline, without an allocation. The text for a number is created on demand.
struct CBORCodingKey: CodingKey {
  private enum Step {
    case text(String)
    case number(Int)
    case index(Int)
  }

  private let step: Step

  init(stringValue: String) {
    step = .text(stringValue)
  }

  init(intValue: Int) {
    step = .number(intValue)
  }

  /// Creates the step to the element at `index` of an array, with the name that Foundation's coders use.
  init(index: Int) {
    step = .index(index)
  }

  var stringValue: String {
    switch step {
    case .text(let text): text
    case .number(let number): "\(number)"
    case .index(let index): "Index \(index)"
    }
  }

  var intValue: Int? {
    switch step {
    case .text: nil
    case .number(let number), .index(let number): number
    }
  }

  static let `super` = CBORCodingKey(stringValue: "super")
}

/// The key or index of the current entry.
///
/// Setting it is cheap; the key is created when an error needs it.
struct CBORCurrentKey {
  /// An index in ``names`` or in an array, or one of the constants below.
  var place = -1
  var names: Unmanaged<CBORKeyNames>?
  /// A key whose type has no table of names.
  var other: (any CodingKey)?
  /// A dictionary key, if `place` is ``textPlace`` or ``numberPlace``.
  ///
  /// An existential key would take an allocation.
  var text = ""
  var number = 0
  static let textPlace = -2
  static let numberPlace = -3
  /// The name of a ``CBORFieldCodable`` field, if `place` is ``namePlace``.
  var name: StaticString = ""
  static let namePlace = -4

  /// The key of a map entry.
  ///
  /// The getter is mutating, because another getter would copy the structure.
  var key: (any CodingKey)? {
    @inline(__always) mutating get {
      if place >= 0, let names { return names.takeUnretainedValue().key(UInt8(place)) }
      if place == Self.textPlace { return CBORCodingKey(stringValue: text) }
      if place == Self.namePlace { return CBORCodingKey(stringValue: "\(name)") }
      if place == Self.numberPlace { return CBORCodingKey(intValue: number) }
      return other
    }
  }
}

/// A type of dictionary keys that are the keys of a map: text or integers.
protocol CBORDictionaryKey: Hashable, Sendable {
  /// Makes this the key of the current entry.
  func note(in current: inout CBORCurrentKey)
}

extension String: CBORDictionaryKey {
  func note(in current: inout CBORCurrentKey) {
    current.place = CBORCurrentKey.textPlace
    current.text = self
  }
}

extension Int: CBORDictionaryKey {
  func note(in current: inout CBORCurrentKey) {
    current.place = CBORCurrentKey.numberPlace
    current.number = self
  }
}

/// The properties of a frame from which the coding path of its value is created.
protocol CBORPathStep {
  /// The frame of the outer value.
  var parent: UnsafeMutablePointer<Self>? { get }
  /// The step of the coding path from this value to the nested value in progress.
  ///
  /// The getter is mutating, because another getter would copy the large frame.
  var currentKey: (any CodingKey)? { mutating get }
  /// The last step of the path of a nested coder; the parent's current entry may have changed since.
  var ownKey: (any CodingKey)? { get }
  /// The path of a value whose coder or container the program retains; it replaces the path through ``parent``.
  var keptPath: [any CodingKey]? { get }
}

extension UnsafeMutablePointer where Pointee: CBORPathStep {
  /// Returns the path of this frame's value, or of the entry with the key `last` in it.
  ///
  /// This is a method of the pointer, because a method of the large frame would copy the frame.
  func path(to last: (any CodingKey)? = nil) -> [any CodingKey] {
    var depth = 1
    var frame = self
    while frame.pointee.keptPath == nil, let parent = frame.pointee.parent {
      depth += 1
      frame = parent
    }
    let keptPath = frame.pointee.keptPath
    let steps = [any CodingKey](unsafeUninitializedCapacity: depth) { steps, count in
      guard let base = steps.baseAddress else { return }
      // The frames are linked from the inside outwards, so the steps are written from the end.
      var place = depth
      func put(_ step: any CodingKey) {
        place -= 1
        (base + place).initialize(to: step)
      }
      if let last { put(last) }
      frame = self
      while frame.pointee.keptPath == nil, let parent = frame.pointee.parent {
        if let step = frame.pointee.ownKey ?? parent.pointee.currentKey { put(step) }
        frame = parent
      }
      count = depth - place
      base.moveInitialize(from: base + place, count: count)
    }
    return keptPath.map { $0 + steps } ?? steps
  }
}

/// The position of the decoder in a value at one depth.
///
/// The session owns the memory of frames; see ``CBOREncodingFrame``.
struct CBORDecodingFrame: CBORPathStep {
  typealias Pointer = UnsafeMutablePointer<CBORDecodingFrame>

  enum Kind: UInt8 {
    /// The program has requested nothing yet.
    case unread
    case map
    case array
    /// The program decodes a single value.
    case value
  }

  var kind = Kind.unread
  /// The number of the value, which identifies it among all values of the session.
  var number = 0
  /// Whether a value of this depth is in progress.
  var isBusy = false
  /// Whether the frame belongs to no depth, so that the session recycles it after its value.
  var isSpare = false
  /// Whether the frame belongs to a level that the program retains.
  var isRetained = false
  /// The offset of the value, including its tags; negative for a missing value, which decodes as null.
  var start = 0
  /// The offset of the first entry or element.
  var content = 0
  /// The number of entries or elements; negative if a break ends them.
  var total = 0
  /// The offset of the first entry or element that was not decoded in order.
  var cursor = 0
  /// The number of entries or elements before ``cursor``.
  var passed = 0
  /// The offset after the value; negative until it is known.
  var end = -1
  /// The rank of the last key that was decoded in order, or -1.
  ///
  /// Keys in the order of their table have ascending ranks (``CBORKeyNames/Name/place``).
  var lastKeyPlace = -1
  /// The table of the last key that was decoded in order.
  var lastKeyNames: UnsafeRawPointer?
  /// A set of the fields that were decoded in order, with a bit for each hash of a name.
  ///
  /// A field whose bit is not set has not been decoded.
  var passedNames: UInt64 = 0
  /// The index of the map's keys, created when the program requests a key out of order or leaves an entry unread.
  var index = CBORMapIndex()
  /// The number of maps and arrays around the value, and of the tags of ``CBORTagged``.
  var nesting = 0
  /// The number of nested decoders when the value began.
  var nestedCount = 0

  /// The key of the current entry.
  var key = CBORCurrentKey()
  /// The last step of the path of a nested decoder; the parent's current entry may have changed since.
  var ownKey: (any CodingKey)?

  /// The path of the value with the number ``pathOwner``, cached for errors.
  var path: [any CodingKey] = []
  var pathOwner = -1
  /// The number of the outer value, to whose path the last step of ``path`` was added.
  var pathParent = -1
  /// The path of the entry of the last error, in the value with the number ``entryPathOwner``.
  var entryPath: [any CodingKey] = []
  var entryPathOwner = -1

  /// The path of a value whose decoder or container the program retains; it replaces the path through ``parent``.
  var keptPath: [any CodingKey]?

  var parent: Pointer?
  /// The frame of nested values.
  var inner: Pointer?
  /// The decoder of this depth's values.
  var level: CBORDecodingLevel?

  /// Moves past the value of a key that was next in order, to the offset `end`.
  @inline(__always)
  mutating func pass(key place: Int, of names: Unmanaged<CBORKeyNames>?, to end: Int) {
    if _fastPath(!index.isMade) {
      cursor = end
      passed &+= 1
      lastKeyPlace = place
      lastKeyNames = names.map { UnsafeRawPointer($0.toOpaque()) }
    }
  }

  /// The number of bytes of an incomplete value that were decoded.
  @inline(__always) var readByteCount: Int { max(0, max(end, kind == .map || kind == .array ? cursor : 0) - start) }

  /// The step of the coding path from this value to the nested value in progress.
  var currentKey: (any CodingKey)? {
    @inline(__always) mutating get {
      switch kind {
      case .map: key.key
      case .array: CBORCodingKey(index: key.place)
      case .unread, .value: nil
      }
    }
  }
}

/// The position of the encoder in a value at one depth.
///
/// The session owns the memory of frames. A container throws after its value is complete, even if the program retains
/// it; its pointer to the frame stays valid. Frames form a list from the outermost depth inwards.
struct CBOREncodingFrame: CBORPathStep {
  typealias Pointer = UnsafeMutablePointer<CBOREncodingFrame>

  enum Kind: UInt8 {
    /// The program has encoded nothing yet.
    case empty
    case map
    case array
    /// The program encodes a single value.
    case value
    /// The value is complete; encoding to it throws.
    case finished
  }

  var kind = Kind.empty
  /// Whether keys were out of order, so that a key may be repeated.
  var mayRepeatKeys = false
  /// Whether the entries will be sorted, so that their offsets must be recorded.
  var sortsEntries = false
  /// Whether a value of this depth is in progress.
  var isBusy = false
  /// An error that the program made in a call that cannot throw; a later call throws it.
  var misuse: StaticString?
  /// The offset of the value; for a map or array, the offset of its header.
  var start = 0
  /// The number of entries or elements.
  var count = 0
  /// The number of maps and arrays around the value, and of the tags of ``CBORTagged``.
  var nesting = 0
  /// The number of nested encoders when the value began.
  var insertCount = 0
  /// The key of the current entry.
  var key = CBORCurrentKey()
  /// The last step of the path of a nested encoder; the parent's current entry may have changed since.
  var ownKey: (any CodingKey)?

  /// The path of a value whose encoder or container the program retains; it replaces the path through ``parent``.
  var keptPath: [any CodingKey]?

  var parent: Pointer?
  /// The frame of nested values.
  var inner: Pointer?
  /// The encoder of this depth's values; `nil` after the session was dissolved.
  var level: CBOREncodingLevel?
  /// The level as an existential, which is passed to `encode(to:)`.
  ///
  /// The existential does not retain the level, and is valid as long as the level exists.
  let encoder = UnsafeMutablePointer<any Encoder>.allocate(capacity: 1)
  /// The offsets of the entries that will be sorted.
  ///
  /// A failed entry is overwritten by the next.
  var entryStarts: [Int] = []

  /// The step of the coding path from this value to the nested value in progress.
  var currentKey: (any CodingKey)? {
    @inline(__always) mutating get {
      switch kind {
      case .map: key.key
      case .array: CBORCodingKey(index: count)
      case .empty, .value, .finished: nil
      }
    }
  }
}

extension UnsafeMutablePointer<CBOREncodingFrame> {
  /// Whether a nested value is in progress, so that nothing can be encoded to this value.
  ///
  /// This is a property of the pointer, because access to a property of the frame would copy the frame.
  @inline(__always) var isWaiting: Bool {
    if let inner = pointee.inner { inner.pointee.isBusy } else { false }
  }

  /// Records that entry `number` starts at `offset`.
  @inline(__always)
  func beginEntry(_ number: Int, at offset: Int) {
    guard _slowPath(pointee.sortsEntries) else { return }
    if number < pointee.entryStarts.count {
      pointee.entryStarts[number] = offset
    } else {
      pointee.entryStarts.append(offset)
    }
  }
}

/// A pool of idle sessions, whose plans and key names later calls reuse.
struct CBORSessionPool<Session: AnyObject>: ~Copyable, Sendable {
  /// An idle session, to which only the pool refers.
  ///
  /// Sessions that the program retains are not put into the pool, and the caller of `put` releases its session.
  private struct Idle: @unchecked Sendable {
    let session: Session
  }

  private let idle = Lock<[Idle]>([])
  /// The maximum number of idle sessions, enough for the threads of a large machine.
  private static var capacity: Int { 16 }

  func take() -> Session? {
    idle.withLock { $0.popLast() }?.session
  }

  /// Stores `session`, unless the pool is full, and returns whether the session was stored.
  func put(_ session: Session) -> Bool {
    let session = Idle(session: session)
    return idle.withLock { idle in
      guard idle.count < Self.capacity else { return false }
      idle.append(session)
      return true
    }
  }
}

/// The pool of idle encoding sessions.
enum CBOREncodingSessionPool {
  private static let pool = CBORSessionPool<CBOREncodingSession>()
  /// The maximum capacity of an idle session's buffer, in bytes.
  private static let retainedCapacity = 1 << 16

  static func take() -> CBOREncodingSession {
    pool.take() ?? CBOREncodingSession()
  }

  static func give(_ session: CBOREncodingSession) {
    if session.isShared { return session.dissolve() }
    session.end()
    if session.writer.pointee.capacity > retainedCapacity {
      session.writer.pointee.deallocate()
      session.writer.pointee = CBORWriter()
    }
    if !pool.put(session) { session.dissolve() }
  }
}

/// The pool of idle decoding sessions.
enum CBORDecodingSessionPool {
  private static let pool = CBORSessionPool<CBORDecodingSession>()

  static func take() -> CBORDecodingSession {
    pool.take() ?? CBORDecodingSession()
  }

  /// Ends the call of a session, and returns the session to the pool if later calls can use it.
  static func give(_ session: CBORDecodingSession) {
    session.end()
    if session.isShared || session.isOversized || !pool.put(session) { session.dissolve() }
  }
}

/// A cache of the plans or key names of types, by the address of the type.
///
/// The values live as long as the cache. A dictionary would take a quarter of the time of an encoder.
final class CBORTypeCache<Value: AnyObject> {
  private struct Slot {
    var type: UInt
    var value: Value?
  }

  private let slots: UnsafeMutablePointer<Slot>
  private var count = 0
  private static var capacity: Int { 256 }

  init() {
    slots = .allocate(capacity: Self.capacity)
    slots.initialize(repeating: Slot(type: 0, value: nil), count: Self.capacity)
  }

  deinit {
    slots.deinitialize(count: Self.capacity)
    slots.deallocate()
  }

  /// Whether the cache stores no more types; enough for the types of a program.
  var isFull: Bool { count >= Self.capacity / 2 }

  /// Returns the value for `type`, which `create` returns for the first call, or for every call if the cache is full.
  @inline(__always)
  func value<Key>(for type: Key.Type, _ create: () -> Value?) -> Value? {
    let type = UInt(bitPattern: ObjectIdentifier(type))
    // The multiplication with the golden ratio hashes the address to eight bits.
    var place = Int(truncatingIfNeeded: (UInt64(type >> 3) &* 0x9E37_79B9_7F4A_7C15) >> 56)
    while _slowPath(slots[place].type != type) {
      if slots[place].type == 0 {
        if isFull { return create() }
        slots[place] = Slot(type: type, value: create())
        count += 1
        break
      }
      place = (place + 1) % Self.capacity
    }
    return slots[place].value
  }
}
