// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A cache of the keyed containers of one depth, by key type, which later values of that depth reuse.
///
/// A keyed container of the standard library refers to a box on the heap. Creating a box takes an allocation and three
/// lookups of generic types, which is more than encoding a small object. The box refers only to the frame and the
/// session, so the next value of the same depth and key type can use it, unless the program retains it.
///
/// The cache stores the box itself, to see its reference count. ``CBORContainerLayout`` proves that this is possible.
/// Without the proof, the cache is closed and stores nothing.
struct CBORContainerCache {
  private struct Slot {
    var type: UInt
    var box: AnyObject?
    /// A ``CBORContainerCopier`` for the box.
    var copier: Unmanaged<AnyObject>?

    func dispose() {
      copier?.release()
    }
  }

  private let slots: UnsafeMutablePointer<Slot>
  /// A set of the slots that were used since ``beginUse()``, with one bit for each slot.
  private var used: UInt8 = 0
  private var isClosed: Bool
  private static let capacity = 8

  /// Creates an empty cache; a closed cache stays empty.
  init(isClosed: Bool) {
    self.isClosed = isClosed
    slots = .allocate(capacity: Self.capacity)
    slots.initialize(repeating: Slot(type: 0, box: nil), count: Self.capacity)
  }

  func deallocate() {
    for index in 0..<Self.capacity { slots[index].dispose() }
    slots.deinitialize(count: Self.capacity)
    slots.deallocate()
  }

  /// Releases all containers, which retain the session, and stores no more.
  mutating func close() {
    isClosed = true
    for index in 0..<Self.capacity {
      slots[index].dispose()
      slots[index] = Slot(type: 0, box: nil)
    }
  }

  @inline(__always)
  mutating func beginUse() {
    used = 0
  }

  /// Returns the index of the container for keys of `type`; `nil` if the cache has none.
  ///
  /// An optional container would be simpler, but its generic type would be looked up each time.
  @inline(__always)
  mutating func index<Key>(of type: Key.Type) -> Int? {
    let type = UInt(bitPattern: ObjectIdentifier(type))
    let index = Self.index(type)
    guard slots[index].type == type else { return nil }
    used |= 1 << UInt8(index)
    return index
  }

  /// Returns the container at a valid index.
  @inline(__always)
  func container<Container>(at index: Int) -> Container {
    let box = slots[index].box.unsafelyUnwrapped
    return slots[index].copier.unsafelyUnwrapped._withUnsafeGuaranteedRef {
      unsafeDowncast($0, to: CBORContainerCopier<Container>.self).container(in: box)
    }
  }

  /// Returns whether a new container for keys of `type` can be stored, because its slot is not in use.
  func hasRoom<Key>(for type: Key.Type) -> Bool {
    !isClosed && used & 1 << UInt8(Self.index(UInt(bitPattern: ObjectIdentifier(type)))) == 0
  }

  /// Stores `container` for the next value.
  mutating func insert<Key, Container>(_ container: Container, for type: Key.Type) {
    let type = UInt(bitPattern: ObjectIdentifier(type))
    let index = Self.index(type)
    slots[index].dispose()
    slots[index] = Slot(
      type: type, box: unsafeBitCast(container, to: AnyObject.self),
      copier: .passRetained(CBORContainerCopier<Container>()))
    used |= 1 << UInt8(index)
  }

  /// Returns whether the program retains none of the containers in use.
  @inline(__always)
  func areUnshared() -> Bool {
    var rest = used
    while rest != 0 {
      if !isKnownUniquelyReferenced(&slots[rest.trailingZeroBitCount].box) { return false }
      rest &= rest &- 1
    }
    return true
  }

  @inline(__always)
  private static func index(_ type: UInt) -> Int {
    Int(truncatingIfNeeded: CBORTypeHash.hash(type, bits: 3))
  }
}

/// A copier that converts a box back to its container.
///
/// Generic code that is not specialised looks up the type of a value each time. An object of this class carries its
/// type.
private final class CBORContainerCopier<Container> {
  @inline(never)
  func container(in box: AnyObject) -> Container {
    unsafeBitCast(box, to: Container.self)
  }
}

/// The proof that a keyed container of the standard library is one strong reference and nothing else.
///
/// The standard library does not promise this layout. The proof runs once in a process, with both kinds of container.
/// With another layout the proof fails, and every value gets a new container.
enum CBORContainerLayout {
  /// Whether ``CBORContainerCache`` can store containers.
  static let allowsReuse = encodingContainerIsReference() && decodingContainerIsReference()

  private static func encodingContainerIsReference() -> Bool {
    let session = CBOREncodingSession(reusesContainers: false)
    defer { session.dissolve() }
    return isOneReference { owner in
      KeyedEncodingContainer(
        CBORKeyedEncodingContainer<CBORCodingKey>(
          session: session, frame: session.outermost, names: nil, retaining: owner))
    }
  }

  private static func decodingContainerIsReference() -> Bool {
    let session = CBORDecodingSession(reusesContainers: false)
    defer { session.dissolve() }
    return isOneReference { owner in
      KeyedDecodingContainer(
        CBORKeyedDecodingContainer<CBORCodingKey>(
          session: session, frame: session.outermost, names: nil, retaining: owner))
    }
  }

  /// Returns whether a `Container` is one strong reference to an object.
  ///
  /// Reflection comes first: nothing is cast before the container is known to consist of the address of an object.
  /// `create` returns a new container that retains its argument.
  static func isOneReference<Container>(_ create: (AnyObject) -> Container) -> Bool {
    hasLayoutOfReference(create(Owner())) && isCountedAsReference(create)
  }

  private final class Owner {}

  /// Returns whether `container` has one stored property, an object, and no other bits than the address of that object.
  private static func hasLayoutOfReference<Container>(_ container: Container) -> Bool {
    guard MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size,
      MemoryLayout<Container>.alignment == MemoryLayout<AnyObject>.alignment
    else { return false }
    let properties = Mirror(reflecting: container).children
    guard properties.count == 1, let property = properties.first, type(of: property.value) is AnyClass else {
      return false
    }
    let address = UInt(bitPattern: ObjectIdentifier(property.value as AnyObject))
    return withUnsafeBytes(of: container) { $0.load(as: UInt.self) } == address
  }

  /// Returns whether each copy of the container adds to the object's reference count, and the last copy releases the
  /// owner.
  private static func isCountedAsReference<Container>(_ create: (AnyObject) -> Container) -> Bool {
    weak var owner: Owner?
    var box: AnyObject?
    do {
      let object = Owner()
      owner = object
      box = unsafeBitCast(create(object), to: AnyObject.self)
    }
    guard owner != nil, isKnownUniquelyReferenced(&box), !isUnique(&box, besideCopyOf: Container.self),
      isKnownUniquelyReferenced(&box)
    else { return false }
    box = nil
    return owner == nil
  }

  @inline(never)
  private static func isUnique<Container>(_ box: inout AnyObject?, besideCopyOf type: Container.Type) -> Bool {
    let copy = CBORContainerCopier<Container>().container(in: box.unsafelyUnwrapped)
    return withExtendedLifetime(copy) { isKnownUniquelyReferenced(&box) }
  }
}
