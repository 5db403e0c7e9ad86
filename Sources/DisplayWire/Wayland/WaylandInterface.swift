// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// The messages of a Wayland interface.
///
/// Two interfaces are equal if their names are.
package struct WaylandInterface: Sendable, Hashable, CustomStringConvertible {
  /// A request or an event.
  package struct Message: Sendable {
    /// The name, such as `attach`.
    package let name: String
    /// The parameters, in the order of the wire.
    package let parameters: [Parameter]
    /// The first version of the interface that has the message.
    package let since: UInt32
    /// Whether the message ends the object.
    package let isDestructor: Bool
    /// The name of the interface of the new object; `nil` if there is none, or if the message names it itself.
    package let created: String?
  }

  /// A parameter of a message.
  package struct Parameter: Sendable, Hashable {
    /// The type of a parameter, as the letter in a signature.
    package enum Kind: Character, Sendable {
      case int = "i"
      case uint = "u"
      case fixed = "f"
      case string = "s"
      case object = "o"
      case new = "n"
      case array = "a"
      case descriptor = "h"
    }

    package let kind: Kind
    /// Whether a string or an object may be absent.
    package let isNullable: Bool
  }

  /// The name, such as `wl_surface`.
  package let name: String
  /// The highest version that this module supports.
  package let version: UInt32
  /// The requests, in the order of their opcodes.
  package let requests: [Message]
  /// The events, in the order of their opcodes.
  package let events: [Message]

  /// Creates an interface from a list of requests and a list of events.
  ///
  /// A space separates two messages. A message is a name, `!` for a destructor, and a signature after a colon. The
  /// signature is the first version, unless it is 1, and a letter for each parameter. `?` precedes a letter whose value
  /// may be absent. `=` precedes the interface of a new object. Requests that are not used have no signature.
  init(_ name: String, _ version: UInt32, requests: String = "", events: String = "") {
    self.name = name
    self.version = version
    self.requests = requests.split(separator: " ").map(Message.init)
    self.events = events.split(separator: " ").map(Message.init)
  }

  /// Returns an interface with the same messages and another name or version.
  func named(_ name: String, _ version: UInt32) -> WaylandInterface {
    WaylandInterface(name, version, requests, events)
  }

  private init(_ name: String, _ version: UInt32, _ requests: [Message], _ events: [Message]) {
    (self.name, self.version, self.requests, self.events) = (name, version, requests, events)
  }

  package var description: String { name }

  package static func == (one: Self, other: Self) -> Bool { one.name == other.name }

  package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension WaylandInterface.Message {
  fileprivate init(_ text: Substring) {
    let halves = text.split(separator: "=", maxSplits: 1)
    let words = halves[0].split(separator: ":", maxSplits: 1)
    created = halves.count == 2 ? String(halves[1]) : nil
    isDestructor = words[0].hasSuffix("!")
    name = String(isDestructor ? words[0].dropLast() : words[0])
    let signature = words.count == 2 ? words[1] : ""
    since = UInt32(signature.prefix(while: \.isNumber)) ?? 1
    var parameters: [WaylandInterface.Parameter] = []
    var isNullable = false
    for letter in signature.drop(while: \.isNumber) {
      if let kind = WaylandInterface.Parameter.Kind(rawValue: letter) {
        parameters.append(.init(kind: kind, isNullable: isNullable))
      }
      isNullable = letter == "?"
    }
    self.parameters = parameters
  }
}
