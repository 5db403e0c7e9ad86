// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DisplayWire
import DropTransport
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropDesktop

/// Random and mutated values of other programs: no value may cause a trap, or an error of an unexpected type.
@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct DesktopFuzzTests {
  private static let rounds = isFullRun ? 200_000 : 2000
  private static let atoms = DragAtoms(
    Dictionary(uniqueKeysWithValues: zip(DragName.allCases, (200...).lazy.map { X11Atom($0) })))

  private static let lists: [[UInt8]] = [
    "file:///a%20b\r\nhttps://example.org/x\r\n", "#comment\r\nfile://localhost/a%00b\r\nfile://other/c\n",
    "file:///%C3%BC/../%2e%2e/%2F\r\n\r\nFILE:/x?query#fragment", "text/plain;charset=utf-8", "UTF8_STRING",
    "com.example.hero", "image/png", "application/vnd.portal.files", "text/x-moz-url",
  ].map { Array($0.utf8) }

  /// Returns a mutation of one of the lists.
  private func bytes(using generator: inout SeededGenerator) -> [UInt8] {
    var bytes = Self.lists.randomElement(using: &generator) ?? []
    for _ in 0..<Int.random(in: 0...5, using: &generator) {
      let index = Int.random(in: 0...bytes.count, using: &generator)
      switch Int.random(in: 0..<5, using: &generator) {
      case 0: bytes.insert(.random(in: 0...255, using: &generator), at: index)
      case 1:
        bytes.insert(
          contentsOf: [[0], [0xFF, 0xFE], [0x25, 0x32], [0xED, 0xA0, 0x80], [0x0D]][index % 5], at: index)
      case 2: bytes.removeSubrange(index...)
      case 3: bytes.insert(contentsOf: bytes[index...].prefix(40), at: index)
      default: bytes += Self.lists.randomElement(using: &generator) ?? []
      }
    }
    return bytes
  }

  @Test func namesOfTypesAreParsedWithoutTrap() throws {
    var generator = SeededGenerator.announced("DesktopFuzzTests.names")
    for _ in 0..<Self.rounds {
      let name = String(decoding: bytes(using: &generator), as: UTF8.self)
      guard TargetName.isPlausible(name), let (type, _) = TargetName.type(for: name) else { continue }
      if !(0...3).contains(TargetName.rank(of: type)) { Issue.record("\(type)") }
      // A type that has arrived can be offered again.
      if !TargetName.names(for: type).allSatisfy({ TargetName.isPlausible($0.name) }) { Issue.record("\(type)") }
    }
  }

  @Test func textsAreDecodedWithoutTrap() throws {
    var generator = SeededGenerator.announced("DesktopFuzzTests.texts")
    for _ in 0..<Self.rounds {
      let data = Data(bytes(using: &generator))
      _ = try? TargetName.Conversion.address(ofMozillaURL: data)
      for encoding: TextDecoder.Encoding in [.marked, .latin1, .utf8] {
        var decoder = TextDecoder(encoding)
        let split = Int.random(in: 0...data.count, using: &generator)
        do {
          let text = try decoder.decode(data.prefix(split), isLast: false)
          let rest = try decoder.decode(data.dropFirst(split), isLast: true)
          if String(validating: text + rest, as: UTF8.self) == nil { Issue.record("\(data.hex), split at \(split)") }
        } catch  where !(error is DesktopError || error is DecodingError) {
          Issue.record(error)
        } catch {}
      }
    }
  }

  @Test func addressesAreParsedWithoutTrap() throws {
    var generator = SeededGenerator.announced("DesktopFuzzTests.addresses")
    for _ in 0..<Self.rounds {
      let bytes = bytes(using: &generator)
      if let list = try? URIList(parsing: Data(bytes)) {
        let isValid = !list.entries.contains { $0.isEmpty || $0.utf8.contains(0) || $0.utf8.contains(0x0A) }
        let again = try URIList(parsing: list.data)
        if !isValid || again.entries != list.entries { Issue.record("\(list.entries)") }
        for path in list.entries.filter(URIList.isFile).compactMap({ try? URIList.path($0) })
        where !path.hasPrefix("/") || path.utf8.contains(0) {
          Issue.record("\(path)")
        }
      }
      do throws(DesktopError) {
        _ = try DirectSaveAddress(parsing: bytes, dropTime: .distantPast)
      } catch {
        if error.code != .malformed { Issue.record(error) }
      }
    }
  }

  /// A message of a program that follows no protocol.
  private func message(using generator: inout SeededGenerator) -> X11ClientMessage {
    let words = (0..<5).map { index -> UInt32 in
      switch Int.random(in: 0..<4, using: &generator) {
      case 0: .random(in: 0...(.max), using: &generator)
      // Often a known window or atom.
      case 1: [0, .max, 1 << 31, 5 << 24, 3 << 24 | 1].randomElement(using: &generator) ?? 0
      default: index == 0 ? .random(in: 1...3, using: &generator) : .random(in: 198...220, using: &generator)
      }
    }
    return X11ClientMessage(
      window: X11Identifier(1), type: X11Atom(.random(in: 203...214, using: &generator)), data: .words32(words))
  }

  @Test func messagesAreDecodedWithoutTrap() {
    var generator = SeededGenerator.announced("DesktopFuzzTests.messages")
    for _ in 0..<Self.rounds {
      guard let message = DragMessage(message(using: &generator), Self.atoms) else { continue }
      if DragMessage(message.encoded(for: X11Identifier(1), Self.atoms), Self.atoms) != message {
        Issue.record("\(message)")
      }
    }
  }

  /// The target reports a drop only from the window whose drag has entered.
  @Test func targetSurvivesAnyOrderOfMessages() {
    var generator = SeededGenerator.announced("DesktopFuzzTests.target")
    for _ in 0..<Self.rounds / 20 {
      var state = DropTargetState(window: X11Identifier(1))
      var inside: X11Identifier?
      var pending: [DropTargetState.Effect] = []
      for _ in 0..<40 {
        if let message = DragMessage(message(using: &generator), Self.atoms) { pending += state.receive(message) }
        if Int.random(in: 0..<10, using: &generator) == 0 {
          pending += state.close(X11Identifier(.random(in: 1...3, using: &generator)))
        }
        while !pending.isEmpty {
          switch pending.removeFirst() {
          case .inspect(_, _, let types, let number):
            if types.count > 3 { Issue.record("\(types)") }
            let late = Int.random(in: 0...1, using: &generator)
            pending += state.inspected(["text/plain"], [], number: number - late)
          case .entered(let offer):
            if inside != nil || !(DragVersion.lowest...DragVersion.own ~= offer.version) { Issue.record("\(offer)") }
            inside = offer.source
          case .ask(let offer, let point):
            if offer.source != inside { Issue.record("\(offer)") }
            pending += state.answer(Bool.random(using: &generator) ? .refuse : .accept(.move), to: point)
          case .dropped(let offer, _, let action):
            let isAllowed = action == .copy || offer.actions.contains(action)
            if offer.source != inside || !isAllowed { Issue.record("\(offer), \(action)") }
            inside = nil
          case .left:
            if inside == nil { Issue.record("no drag has entered") }
            inside = nil
          case .send, .scrolled: break
          }
        }
      }
      if state.end().count > 1 { Issue.record("more than one effect of the end") }
    }
  }

  /// A drag ends at most once, and only moves what may be moved.
  @Test func sourceSurvivesAnyOrderOfMessages() {
    var generator = SeededGenerator.announced("DesktopFuzzTests.source")
    for _ in 0..<Self.rounds / 20 {
      let allowsMove = Bool.random(using: &generator)
      var state = DragSourceState(source: X11Identifier(9), types: [X11Atom(100)], allowsMove: allowsMove)
      var endings: [Result<DesktopDrag.Outcome, DragTargetFailure>] = []
      for step in 0..<60 {
        let number = UInt32.random(in: 0...3, using: &generator)
        let target = DragTarget(window: X11Identifier(number), recipient: X11Identifier(number), version: 5)
        let point = DragPoint(x: Int16(step), y: 1, time: X11Time(7), action: .copy)
        let effects =
          switch Int.random(in: 0..<12, using: &generator) {
          case 0...3: state.move(over: number == 0 ? nil : target, point)
          case 4: state.close(target.window)
          case 5: step > 30 ? state.release(time: X11Time(8)) : []
          case 6: state.timeOut(Int(number))
          case 7: state.noteActivity()
          default: DragMessage(message(using: &generator), Self.atoms).map { state.receive($0) } ?? []
          }
        for case .end(let ending) in effects { endings.append(ending) }
      }
      if endings.count > 1 { Issue.record("\(endings)") }
      if !allowsMove, case .success(.dropped(let action)) = endings.first, action != .copy { Issue.record("\(action)") }
    }
  }
}
