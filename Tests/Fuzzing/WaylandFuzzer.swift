// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem

// The entry point of libFuzzer, which .ci/fuzz builds and runs. No input of a compositor may stop the process.

/// - Returns: 0, as libFuzzer requires.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafeRawPointer?, _ count: Int) -> CInt {
  var rest = UnsafeRawBufferPointer(start: start, count: count)[...]
  var state = WaylandState(limits: WaylandLimits(events: 50, objects: 80, descriptors: 10))
  var delivery = Delivery()
  guard let registry = try? state.queue(WaylandObjects.display, "get_registry", []) else { fatalError("no registry") }
  // The seeds use the first objects, whose numbers start at 3.
  for interface in [.callback, .surface, .seat, .pointer, .keyboard, .dataDevice, .dataSource] + WaylandInterface.all {
    let arguments: [WaylandArgument] = [.uint(1), .string(interface.name), .uint(1)]
    guard (try? state.queue(registry, "bind", arguments, creating: (interface, interface.version))) != nil else {
      fatalError("no \(interface)")
    }
  }
  var decoder = WaylandDecoder()
  while !rest.isEmpty {
    // The first bit decides whether a descriptor arrives, and the others the length of a piece.
    let control = rest.removeFirst()
    let piece = rest.prefix(Int(control >> 1) + 1)
    rest = rest.dropFirst(piece.count)
    _ = decoder.receive { buffer, descriptors in
      buffer.copyBytes(from: piece)
      if control & 1 == 1, let descriptor = try? SystemCalls.eventDescriptor() { descriptors.append(descriptor) }
      return piece.count
    }
    state.receive(from: &decoder, into: &delivery)
    while let event = try? state.takeEvent() {
      for case .new(let object) in event.arguments { _ = try? state.queue(object, "destroy", []) }
    }
  }
  delivery.perform()
  guard [nil, .protocolViolation, .limitExceeded, .requestFailed].contains(state.ending?.code) else {
    fatalError("\(state.ending?.description ?? "")")
  }
  return 0
}
