// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The keyed containers a depth has had, by type of key, to be given out again.
///
/// A `KeyedEncodingContainer` or `KeyedDecodingContainer` is a reference to a box, and to make one takes an allocation
/// and three look-ups of generic types: more than the whole writing of a small object. The box says no more than which
/// frame and session it belongs to, so the next object of the same depth and type of key can have it, unless the
/// program still holds it.
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
  /// One bit for each slot that was given out since ``beginUse()``.
  private var used: UInt8 = 0
  private var isClosed = false
  private static let capacity = 8

  init() {
    slots = .allocate(capacity: Self.capacity)
    slots.initialize(repeating: Slot(type: 0, box: nil), count: Self.capacity)
  }

  func deallocate() {
    for index in 0..<Self.capacity { slots[index].dispose() }
    slots.deinitialize(count: Self.capacity)
    slots.deallocate()
  }

  /// Lets go of all containers, which hold on to the session, and keeps none from now on.
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

  /// Where the container for keys of `type` is; `nil` where there is none.
  ///
  /// An optional container would do, but its type would have to be looked up each time.
  @inline(__always)
  mutating func place<Key>(of type: Key.Type) -> Int? {
    let type = UInt(bitPattern: ObjectIdentifier(type))
    let index = Self.index(type)
    guard slots[index].type == type else { return nil }
    used |= 1 << UInt8(index)
    return index
  }

  /// The container at a place known.
  @inline(__always)
  func container<Container>(at place: Int) -> Container {
    let box = slots[place].box.unsafelyUnwrapped
    return slots[place].copier.unsafelyUnwrapped._withUnsafeGuaranteedRef {
      unsafeDowncast($0, to: CBORContainerCopier<Container>.self).container(in: box)
    }
  }

  /// Whether a new container for keys of `type` can be kept: not where another one that is in use has its place.
  func hasRoom<Key>(for type: Key.Type) -> Bool {
    !isClosed && used & 1 << UInt8(Self.index(UInt(bitPattern: ObjectIdentifier(type)))) == 0
  }

  /// Keeps `container` for the next time.
  mutating func insert<Key, Container>(_ container: Container, for type: Key.Type) {
    precondition(MemoryLayout<Container>.size == MemoryLayout<AnyObject>.size, "a keyed container is one reference")
    let type = UInt(bitPattern: ObjectIdentifier(type))
    let index = Self.index(type)
    slots[index].dispose()
    slots[index] = Slot(
      type: type, box: unsafeBitCast(container, to: AnyObject.self),
      copier: .passRetained(CBORContainerCopier<Container>()))
    used |= 1 << UInt8(index)
  }

  /// Whether none of the containers given out is held by anybody else.
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

/// Makes a container of a box.
///
/// To treat a value of a generic type, code that is not compiled for that very type looks it up each time; an object
/// whose own type says which it is has it at hand.
private final class CBORContainerCopier<Container> {
  @inline(never)
  func container(in box: AnyObject) -> Container {
    unsafeBitCast(box, to: Container.self)
  }
}

/// Spreads the addresses of types.
enum CBORTypeHash {
  /// The `bits` that depend on all others: by the golden ratio.
  @inline(__always)
  static func hash(_ type: UInt, bits: UInt) -> UInt {
    UInt(truncatingIfNeeded: (UInt64(type) >> 3 &* 0x9E37_79B9_7F4A_7C15) &>> (64 - UInt64(bits)))
  }
}
