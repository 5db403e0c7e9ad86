// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A frame as a step of the way from the outermost value inwards.
protocol CBORPathStep {
  /// The frame of the value around this one.
  var parent: UnsafeMutablePointer<Self>? { get }
  /// The step from here to the value in progress inside.
  ///
  /// Mutating only so that it is read in place: a frame is large, and would be copied for a call.
  var currentKey: (any CodingKey)? { mutating get }
  /// The step to this value where its parent is busy with others meanwhile.
  var ownKey: (any CodingKey)? { get }
  /// The steps to a value that the program kept, which are no longer to be followed.
  var keptPath: [any CodingKey]? { get }
}

extension UnsafeMutablePointer where Pointee: CBORPathStep {
  /// The steps from the outermost value to that of this frame, and to the entry with the key `last` in it.
  ///
  /// Of a pointer, since a frame is large, and would be copied for a call.
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
      // From the end on, as the frames are linked.
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
