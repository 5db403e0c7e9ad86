// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DisplayWire
internal import DropSystem
internal import Synchronization

/// The atoms, properties and selections of a fake server.
struct FakeDisplayState {
  struct Key: Hashable {
    let window: UInt32
    let property: UInt32
  }

  struct Property {
    var type: UInt32
    var format: UInt8
    var bytes: [UInt8]
  }

  var setupRequest: [UInt8] = []
  var requests: [FakeRequest] = []
  var sequence: UInt16 = 0
  var isClosed = false
  /// The names of the atoms that follow the predefined atoms.
  var atoms: [String] = []
  var properties: [Key: Property] = [:]
  var owners: [UInt32: UInt32] = [:]
}

extension FakeDisplay {
  /// Returns the response to the setup request, for a server with one screen of 640 by 480 pixels.
  ///
  /// The server chooses the bits `base` of an identifier, and the client those of `mask`.
  package static func setup(base: UInt32 = 0x200000, mask: UInt32 = 0x1F_FFFF) -> [UInt8] {
    var body = X11Writer()
    body.write32(1)
    body.write32(base)
    body.write32(mask)
    body.write32(256)
    body.write16(4)
    body.write16(65_535)
    body.write([1, 1, 0, 0, 32, 32, 8, 255])
    body.write32(0)
    body.write(Array("fake".utf8))
    body.write([24, 32, 32, 0, 0, 0, 0, 0])
    // The following values describe the screen, with one depth and one visual.
    for value in [root.rawValue, 0x101, 0xFFFFFF, 0, 0] { body.write32(value) }
    for value: UInt16 in [640, 480, 169, 127, 1, 1] { body.write16(value) }
    body.write32(0x102)
    body.write([0, 0, 24, 1, 24, 0, 1, 0, 0, 0, 0, 0])
    body.write32(0x102)
    body.write([4, 8, 0, 1])
    for value: UInt32 in [0xFF0000, 0xFF00, 0xFF, 0] { body.write32(value) }
    var writer = X11Writer()
    writer.write([1, 0, 11, 0, 0, 0])
    writer.write16(UInt16(body.bytes.count / 4))
    writer.write(body.bytes)
    return writer.bytes
  }

  /// Reacts to a request in the way of a real server, unless this type does not know the request.
  package func react(to request: FakeRequest) {
    switch request.opcode {
    case 16, 17: reactToAtoms(request)
    case 18, 19, 20: reactToProperties(request)
    case 22: state.withLock { $0.owners[request.word32(4)] = request.word32(0) }
    case 23: respond(to: request, bytes(state.withLock { $0.owners[request.word32(0)] ?? 0 }))
    case 26, 31: respond(to: request)
    case 43: respond(to: request, detail: 2, bytes(1))
    case 98: reactToExtension(request)
    case 133: respond(to: request, bytes(4 << 20))
    case Self.xfixes.majorOpcode where request.detail == 0: respond(to: request, bytes(5, 0))
    default: break
    }
  }

  private func bytes(_ values: UInt32...) -> [UInt8] {
    var writer = X11Writer()
    for value in values { writer.write32(value) }
    return writer.bytes
  }

  private func reactToExtension(_ request: FakeRequest) {
    switch String(decoding: request.body.dropFirst(4).prefix(Int(request.word16(0))), as: UTF8.self) {
    case X11Extension.bigRequestsName: respond(to: request, [1, 133, 0, 0])
    case Self.xfixes.name:
      respond(to: request, [1, Self.xfixes.majorOpcode, Self.xfixes.firstEvent, Self.xfixes.firstError])
    default: respond(to: request)
    }
  }

  private func reactToAtoms(_ request: FakeRequest) {
    if request.opcode == 16 {
      let name = String(decoding: request.body.dropFirst(4).prefix(Int(request.word16(0))), as: UTF8.self)
      let atom: UInt32 = state.withLock { state in
        if let index = state.atoms.firstIndex(of: name) { return UInt32(69 + index) }
        if request.detail == 1 { return 0 }
        state.atoms.append(name)
        return UInt32(68 + state.atoms.count)
      }
      respond(to: request, bytes(atom))
    } else {
      let atom = Int(request.word32(0)) - 69
      guard let name = state.withLock({ $0.atoms.indices.contains(atom) ? $0.atoms[atom] : nil }) else {
        return reject(request, code: 5, value: request.word32(0))
      }
      let count = UInt32(name.utf8.count)
      respond(to: request, bytes(count) + [UInt8](repeating: 0, count: 20) + Array(name.utf8))
    }
  }

  private func reactToProperties(_ request: FakeRequest) {
    let key = FakeDisplayState.Key(window: request.word32(0), property: request.word32(4))
    switch request.opcode {
    case 18:
      let format = request.body.count > 12 ? request.body[12] : 8
      let count = Int(request.word32(16)) * Int(format) / 8
      let value = Array(request.body.dropFirst(20).prefix(count))
      state.withLock { state in
        let former = state.properties[key]?.bytes ?? []
        let all = request.detail == 0 ? value : request.detail == 1 ? value + former : former + value
        state.properties[key] = FakeDisplayState.Property(type: request.word32(8), format: format, bytes: all)
      }
      sendPropertyNotify(key, isDeleted: false)
    case 19:
      if state.withLock({ $0.properties.removeValue(forKey: key) }) != nil {
        sendPropertyNotify(key, isDeleted: true)
      }
    default:
      respondWithProperty(request, key)
    }
  }

  private func respondWithProperty(_ request: FakeRequest, _ key: FakeDisplayState.Key) {
    guard let property = state.withLock({ $0.properties[key] }) else { return respond(to: request) }
    let unit = Int(property.format) / 8
    guard request.word32(8) == 0 || request.word32(8) == property.type else {
      return respond(to: request, detail: property.format, bytes(property.type, UInt32(property.bytes.count), 0))
    }
    let rest = property.bytes.dropFirst(4 * Int(request.word32(12)))
    let part = rest.prefix(4 * Int(request.word32(16)))
    let remaining = UInt32(rest.count - part.count)
    let header = bytes(property.type, remaining, UInt32(part.count / unit)) + [UInt8](repeating: 0, count: 12)
    respond(to: request, detail: property.format, header + part)
    if request.detail == 1, remaining == 0 {
      state.withLock { $0.properties[key] = nil }
      sendPropertyNotify(key, isDeleted: true)
    }
  }

  private func sendPropertyNotify(_ key: FakeDisplayState.Key, isDeleted: Bool) {
    let values = bytes(key.window, key.property, 1000)
    send(event: [28, 0, 0, 0] + values + [isDeleted ? 1 : 0] + [UInt8](repeating: 0, count: 15))
  }
}
