// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import TestSupport
import Testing

@testable import DisplayWire

/// Random and mutated bytes for each decoder.
///
/// No decoder may trap, or throw an error of another type than its own.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct X11FuzzTests {
  private static let rounds = isFullRun ? 200_000 : 2000

  /// Returns random bytes, or a mutation of `seed`.
  private func bytes(_ seed: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
    var bytes = seed
    for _ in 0..<Int.random(in: 1...6, using: &generator) where !bytes.isEmpty {
      let index = Int.random(in: 0..<bytes.count, using: &generator)
      switch Int.random(in: 0..<6, using: &generator) {
      case 0: bytes[index] = .random(in: 0...255, using: &generator)
      case 1: bytes[index] = [0, 1, 0x7F, 0x80, 0xFF].randomElement(using: &generator) ?? 0
      case 2: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      case 3: bytes.removeSubrange(index...)
      case 4: bytes.insert(contentsOf: bytes[index...].prefix(8), at: index)
      default: bytes.append(contentsOf: (0..<8).map { _ in .random(in: 0...255, using: &generator) })
      }
    }
    return bytes
  }

  @Test func decodesSetupsWithoutTrap() {
    var generator = SeededGenerator.announced("X11FuzzTests.setup")
    let seed = FakeDisplay.setup()
    for _ in 0..<Self.rounds {
      var bytes = bytes(seed, using: &generator)
      if bytes.count >= 8, Bool.random(using: &generator) {
        // Corrects the declared length, so that the decoder does not stop at it.
        bytes.removeLast(bytes.count % 4)
        bytes[6] = UInt8(truncatingIfNeeded: (bytes.count - 8) / 4)
        bytes[7] = UInt8(truncatingIfNeeded: ((bytes.count - 8) / 4) >> 8)
      }
      do throws(X11SyntaxError) {
        guard case .success(let setup) = try X11SetupResponse(bytes) else { continue }
        if setup.screens.isEmpty { Issue.record("no screen in \(bytes)") }
      } catch {
        if error.offset > bytes.count { Issue.record("\(error)") }
      }
    }
  }

  @Test func decodesResponsesWithoutTrap() {
    var generator = SeededGenerator.announced("X11FuzzTests.responses")
    let extra = X11Extension(name: "any", majorOpcode: 130, firstEvent: 90, firstError: 0)
    func attempt<Response>(_ query: X11Query<Response>, _ bytes: [UInt8]) {
      do throws(X11SyntaxError) {
        _ = try query.decode(bytes)
      } catch  where error.offset > bytes.count {
        Issue.record("\(query.request.name): \(error)")
      } catch {}
    }
    for _ in 0..<Self.rounds {
      let seed = (0..<4 * Int.random(in: 8...16, using: &generator)).map { _ in
        Bool.random(using: &generator) ? UInt8.random(in: 0...255, using: &generator) : 0
      }
      let bytes = bytes(seed, using: &generator)
      attempt(.getGeometry(.none), bytes)
      attempt(.queryTree(.none), bytes)
      attempt(.internAtom("A"), bytes)
      attempt(.getAtomName(.none), bytes)
      attempt(.getProperty(.none, .none, limit: 100), bytes)
      attempt(.getSelectionOwner(.none), bytes)
      attempt(.grabPointer(.none, events: [], time: .current), bytes)
      attempt(.queryPointer(.none), bytes)
      attempt(.translateCoordinates(from: .none, to: .none, x: 0, y: 0), bytes)
      attempt(.getKeyboardMapping(firstKeyCode: 8, count: 248), bytes)
      attempt(.queryExtension("A"), bytes)
      attempt(.xtestGetVersion(extra), bytes)
    }
  }

  @Test func decodesEventsWithoutTrap() throws {
    var generator = SeededGenerator.announced("X11FuzzTests.events")
    let extra = X11Extension(name: "any", majorOpcode: 130, firstEvent: 90, firstError: 0)
    for _ in 0..<Self.rounds {
      let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let event = try X11Event(bytes, xfixes: extra)
      if event.isSentByClient != (bytes[0] & 0x80 != 0) { Issue.record("\(event)") }
      // Encoding a decoded message must return the same bytes.
      if case .clientMessage(let message) = event.kind, message.encoded[4...] != bytes[4...] {
        Issue.record("\(event)")
      }
    }
  }

  /// Decodes a stream of messages that arrives in pieces of random length.
  @Test func decodesStreamsWithoutTrap() throws {
    var generator = SeededGenerator.announced("X11FuzzTests.streams")
    for _ in 0..<Self.rounds / 10 {
      var state = X11ChannelState(limits: X11Limits(responseBytes: 4096, events: 20))
      var delivery = Delivery()
      var stream: [UInt8] = []
      for number: UInt8 in 1...8 {
        let completion = Completion<[UInt8]>()
        try state.queue(X11Query.getAtomName(.none).request, maximumExtraBytes: 1024, completion: completion)
        let kind = UInt8.random(in: 0...2, using: &generator)
        let extra: UInt8 = kind == 1 ? .random(in: 0...8, using: &generator) : 0
        stream += [kind == 2 ? 34 : kind, 1, kind == 2 ? number - 1 : number, 0, extra, 0, 0, 0]
        stream += [UInt8](repeating: 0, count: 24 + 4 * Int(extra))
      }
      stream = bytes(stream, using: &generator)
      var decoder = X11PacketDecoder()
      var rest = stream[...]
      while !rest.isEmpty {
        let size = Int.random(in: 1...80, using: &generator)
        let count = decoder.receive { buffer in
          let piece = rest.prefix(min(buffer.count, size))
          buffer.copyBytes(from: piece)
          return piece.count
        }
        rest = rest.dropFirst(count)
        state.receive(from: &decoder, into: &delivery)
      }
      delivery.perform()
      #expect(decoder.bufferedBytes <= stream.count)
      #expect([nil, .protocolViolation, .limitExceeded].contains(state.ending?.code))
    }
  }

  @Test func parsesAuthoritiesAndAddressesWithoutTrap() {
    var generator = SeededGenerator.announced("X11FuzzTests.files")
    let entry = DisplayAuthorityTests.entry(256, Array("host".utf8), "0", [1, 2, 3])
    let address = Array("tcp/host:10.1".utf8)
    for _ in 0..<Self.rounds {
      let authority = DisplayAuthority(parsing: bytes(entry + entry + entry, using: &generator))
      if authority.entries.count > 10 { Issue.record("\(authority)") }
      let text = String(decoding: bytes(address, using: &generator), as: UTF8.self)
      do throws(DisplayError) {
        let address = try DisplayAddress(parsing: text, allowsNetwork: true)
        if !(0...DisplayAddress.maximumDisplay).contains(address.display) { Issue.record("\(address)") }
      } catch  where error.code != .badAddress {
        Issue.record("\(error)")
      } catch {}
    }
  }
}
