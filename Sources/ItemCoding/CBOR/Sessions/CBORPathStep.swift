// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A frame as a step of the way from the outermost value inwards.
protocol CBORPathStep {
  /// The frame of the value around this one.
  var parent: UnsafeMutablePointer<Self>? { get }
  /// The step from here to the value in progress inside.
  var currentKey: (any CodingKey)? { get }
  /// The step to this value where its parent is busy with others meanwhile.
  var ownKey: (any CodingKey)? { get }
  /// The steps to a value that the program kept, which are no longer to be followed.
  var keptPath: [any CodingKey]? { get }
}

extension CBORPathStep {
  /// The steps from the outermost value to this one.
  var codingPath: [any CodingKey] {
    var steps: [any CodingKey] = []
    var (next, ownKey, keptPath) = (parent, ownKey, keptPath)
    while keptPath == nil, let frame = next {
      if let step = ownKey ?? frame.pointee.currentKey { steps.append(step) }
      (next, ownKey, keptPath) = (frame.pointee.parent, frame.pointee.ownKey, frame.pointee.keptPath)
    }
    return (keptPath ?? []) + steps.reversed()
  }
}
