// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

@testable import DisplayWire

/// Random and mutated events of each interface.
@Suite(.serialized, .limited, .timeLimit(minutes: 1)) struct WaylandFuzzTests {
  private static let rounds = isFullRun ? 20_000 : 500

  /// Returns an event of a random object with mostly valid arguments.
  private func event(_ objects: [WaylandObject], using generator: inout SeededGenerator) -> [UInt8] {
    guard let object = objects.randomElement(using: &generator), !object.interface.events.isEmpty else { return [] }
    let opcode = Int.random(in: 0..<object.interface.events.count, using: &generator)
    var writer = X11Writer()
    for parameter in object.interface.events[opcode].parameters {
      switch parameter.kind {
      case .string: writer.writeWayland(["Ares", "", nil].randomElement(using: &generator) ?? nil)
      case .array: writer.writeWaylandArray([1, 2, 3])
      case .object: writer.writeHost32(objects.randomElement(using: &generator)?.id ?? 0)
      case .new: writer.writeHost32(0xFF00_0000 + .random(in: 0...20, using: &generator))
      case .int, .uint, .fixed: writer.writeHost32(.random(in: 0...100, using: &generator))
      case .descriptor: break
      }
    }
    var bytes = FakeCompositor.message(object.id, opcode, writer.bytes)
    if Int.random(in: 0..<20, using: &generator) == 0 {
      let index = Int.random(in: 0..<bytes.count, using: &generator)
      bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    }
    return bytes
  }

  /// Decodes a stream of events that arrives in pieces of random length.
  @Test func decodesEventsWithoutTrap() throws {
    var generator = SeededGenerator.announced("WaylandFuzzTests.events")
    var eventCount = 0
    for _ in 0..<Self.rounds {
      var state = WaylandState(limits: WaylandLimits(events: 100, objects: 100, descriptors: 20))
      var delivery = Delivery()
      let registry = try #require(try state.queue(WaylandObjects.display, "get_registry", []))
      var objects = [WaylandObjects.display, registry]
      for interface in WaylandInterface.all.shuffled(using: &generator).prefix(30) {
        let arguments: [WaylandArgument] = [.uint(1), .string(interface.name), .uint(1)]
        let bound = try state.queue(registry, "bind", arguments, creating: (interface, interface.version))
        objects.append(try #require(bound))
      }
      var stream: [UInt8] = []
      for _ in 0..<20 { stream += event(objects, using: &generator) }
      var decoder = WaylandDecoder()
      var rest = stream[...]
      while !rest.isEmpty {
        let size = Int.random(in: 1...80, using: &generator)
        let count = try decoder.receive { buffer, descriptors in
          let piece = rest.prefix(size)
          buffer.copyBytes(from: piece)
          if size.isMultiple(of: 8) { descriptors.append(try SystemCalls.eventDescriptor()) }
          return piece.count
        }
        rest = rest.dropFirst(try #require(count))
        state.receive(from: &decoder, into: &delivery)
        while let event = try? state.takeEvent() {
          eventCount += 1
          // Each object of an event exists, and accepts its requests.
          for case .new(let object) in event.arguments {
            if state.ending == nil, Bool.random(using: &generator) { _ = try? state.queue(object, "destroy", []) }
          }
        }
      }
      delivery.perform()
      #expect([nil, .protocolViolation, .limitExceeded, .requestFailed].contains(state.ending?.code))
    }
    // Most events are valid.
    #expect(eventCount > Self.rounds)
  }
}

@Suite(.limited, .timeLimit(minutes: 1)) struct WaylandInterfaceTests {
  @Test func namesAreUniqueAndCreatedInterfacesExist() {
    #expect(Set(WaylandInterface.all.map(\.name)).count == WaylandInterface.all.count)
    for interface in WaylandInterface.all {
      for message in interface.requests + interface.events {
        #expect(message.since <= interface.version, "\(interface).\(message.name)")
        #expect(message.parameters.count { $0.kind == .new } <= 1, "\(interface).\(message.name)")
        guard let created = message.created else { continue }
        #expect(WaylandInterface.named(created) != nil, "\(interface).\(message.name)")
        #expect(message.parameters.contains { $0.kind == .new }, "\(interface).\(message.name)")
      }
    }
  }

  @Test func readsTheNotationOfMessages() throws {
    let interface = WaylandInterface("hero", 3, requests: "rest!:3 sail:2?sn=ship row")
    let (rest, sail) = (interface.requests[0], interface.requests[1])
    #expect(rest.isDestructor && rest.since == 3 && rest.parameters.isEmpty)
    #expect(sail.created == "ship" && sail.since == 2 && !sail.isDestructor)
    #expect(sail.parameters.map(\.kind) == [.string, .new] && sail.parameters.map(\.isNullable) == [true, false])
    #expect((interface.requests[2].name, interface.requests[2].since) == ("row", 1))
  }
}
