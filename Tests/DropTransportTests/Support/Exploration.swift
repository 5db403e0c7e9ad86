// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Testing

/// A system whose events are tried in every order.
protocol Explored {
  associatedtype Event: CustomStringConvertible
  /// Whatever the future of the system depends on; equal systems are visited once.
  var key: [UInt8] { get }
  /// The events that are possible now.
  var events: [Event] { get }
  /// Takes an event.
  ///
  /// - Returns: The broken invariant, if any.
  mutating func take(_ event: Event) -> String?
}

/// Tries all words of events up to a length, and prints the number of states and words.
///
/// A broken invariant is recorded with the shortest word that breaks it.
func explore<System: Explored>(
  _ start: System, _ name: String, length: Int, sourceLocation: SourceLocation = #_sourceLocation
) -> (states: Int, words: Double) {
  var systems = [start]
  var numbers = [start.key: 0]
  /// The number of the previous system, and the event that led from there.
  var origins: [(from: Int, event: String)] = [(0, "")]
  var successors: [[Int]] = []
  var layer = 0..<1
  for _ in 0..<length {
    for number in layer {
      var reached: [Int] = []
      for event in systems[number].events {
        var next = systems[number]
        if let broken = next.take(event) {
          var (word, at) = ([event.description], number)
          while at != 0 {
            word.append(origins[at].event)
            at = origins[at].from
          }
          let words = word.reversed().joined(separator: ", ")
          Issue.record("\(name): \(broken) after \(words)", sourceLocation: sourceLocation)
          return (systems.count, 0)
        }
        let key = next.key
        if let known = numbers[key] {
          reached.append(known)
        } else {
          numbers[key] = systems.count
          reached.append(systems.count)
          systems.append(next)
          origins.append((number, event.description))
        }
      }
      successors.append(reached)
    }
    layer = layer.upperBound..<systems.count
  }
  var words = 0.0
  var ways: [Int: Double] = [0: 1]
  for _ in 0..<length {
    var next: [Int: Double] = [:]
    // The systems of the last layer have no successors that were looked at.
    for (number, count) in ways where number < successors.count {
      for successor in successors[number] { next[successor, default: 0] += count }
    }
    ways = next
    words += ways.values.reduce(0, +)
  }
  print("\(name): \(systems.count) states, \(words) words of up to \(length) events")
  return (systems.count, words)
}
