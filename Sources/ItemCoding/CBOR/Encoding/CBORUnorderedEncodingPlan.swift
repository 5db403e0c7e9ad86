// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// The standard library writes sets, and dictionaries whose keys have no text, as arrays in the order of their hashes,
// which differs from run to run. These plans write the same arrays, and sort them where the order is deterministic.

extension Set: CBORWritableComposite where Element: Encodable {
  static var encodingPlan: CBOREncodingPlan { CBORSetEncodingPlan<Element>() }
}

private final class CBORSetEncodingPlan<Element: Encodable & Hashable>: CBOREncodingPlan {
  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    let set = value.assumingMemoryBound(to: Set<Element>.self).pointee
    session.writer.pointee.write(.array, UInt64(set.count))
    let frame = try session.containerFrame(in: parent)
    defer { session.leaveOwn(frame) }
    frame.pointee.kind = .array
    for element in set {
      frame.beginEntry(frame.pointee.count, at: session.writer.pointee.count)
      try session.encode(element, in: frame)
      frame.pointee.count &+= 1
    }
    if frame.pointee.sortsEntries { session.sortEntries(frame, count: set.count) }
  }
}

/// Writes a dictionary as an array in which each key is followed by its value.
final class CBORPairsEncodingPlan<Key: Encodable & Hashable, Value: Encodable>: CBOREncodingPlan {
  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    let dictionary = value.assumingMemoryBound(to: [Key: Value].self).pointee
    session.writer.pointee.write(.array, UInt64(dictionary.count) * 2)
    let frame = try session.containerFrame(in: parent)
    defer { session.leaveOwn(frame) }
    frame.pointee.kind = .array
    for (number, (key, value)) in dictionary.enumerated() {
      frame.beginEntry(number, at: session.writer.pointee.count)
      try session.encode(key, in: frame)
      frame.pointee.count &+= 1
      try session.encode(value, in: frame)
      frame.pointee.count &+= 1
    }
    if frame.pointee.sortsEntries { session.sortEntries(frame, count: dictionary.count) }
  }
}

/// For a type that would have a plan if it were another instance of its generic self.
final class CBORSelfEncodingPlan<Value: Encodable>: CBOREncodingPlan {
  override func encode(
    _ value: UnsafeRawPointer, _ session: CBOREncodingSession, _ parent: CBOREncodingFrame.Pointer
  ) throws {
    try session.encodePlain(value.assumingMemoryBound(to: Value.self).pointee, in: try session.frame(in: parent))
  }
}
