// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// The fault that Foundation finds in an XML property list, with its line number.
///
/// Foundation recognizes only carriage returns as line ends, so it reports line 1 for every fault in a file with line
/// feeds. For some faults it reports no line.
struct XMLFault {
  private struct Nothing: Decodable {
    init(from decoder: any Decoder) {}
  }

  /// The list with a carriage return at the end of each line.
  private let bytes: [UInt8]

  init(_ data: Data) {
    var bytes = [UInt8](data)
    var last: UInt8 = 0
    for index in bytes.indices {
      let byte = bytes[index]
      if byte == UInt8(ascii: "\n"), last != UInt8(ascii: "\r") { bytes[index] = UInt8(ascii: "\r") }
      last = byte
    }
    self.bytes = bytes
  }

  /// Foundation's description of the fault, with the line number; `nil` if Foundation finds no fault.
  var description: String? {
    do {
      _ = try PropertyListDecoder().decode(Nothing.self, from: Data(bytes))
      return nil
    } catch DecodingError.dataCorrupted(let context) {
      guard let fault = (context.underlyingError as? CocoaError)?.userInfo["NSDebugDescription"] as? String else {
        return nil
      }
      if fault.contains(" line ") { return fault }
      let line = bytes[..<(valueWithoutKey ?? bytes.count)].count { $0 == UInt8(ascii: "\r") } + 1
      return "\(fault) on line \(line)"
    } catch {
      return nil
    }
  }

  /// The offset of the first value without a key in a dictionary; `nil` if every value has a key.
  ///
  /// Foundation reports no line for this fault, nor for a truncated list.
  private var valueWithoutKey: Int? {
    // For each open container, whether a key must be next; `nil` for an array.
    var needsKey: [Bool?] = []
    var offset = 0
    while let open = bytes[offset...].firstIndex(of: UInt8(ascii: "<")) {
      let markup = bytes[(open + 1)...]
      let skipped = [("!--", "-->"), ("![CDATA[", "]]>"), ("!", ">"), ("?", "?>")]
        .first { markup.starts(with: $0.0.utf8) }
      offset = index(behind: skipped?.1 ?? ">", from: open + 1 + (skipped?.0.utf8.count ?? 0))
      if skipped != nil { continue }
      if markup.first == UInt8(ascii: "/") {
        if Self.isContainer(markup.dropFirst()) { _ = needsKey.popLast() }
        continue
      }
      if let isKey = needsKey.last ?? nil {
        if isKey, !markup.starts(with: "key".utf8) { return open }
        needsKey[needsKey.count - 1] = !isKey
      }
      guard Self.isContainer(markup), bytes[offset - 2] != UInt8(ascii: "/") else { continue }
      needsKey.append(markup.starts(with: "dict".utf8) ? true : nil)
    }
    return nil
  }

  private static func isContainer(_ tag: ArraySlice<UInt8>) -> Bool {
    ["plist", "array", "dict"].contains { tag.starts(with: $0.utf8) }
  }

  private func index(behind end: String, from start: Int) -> Int {
    var index = start
    while index < bytes.count, !bytes[index...].starts(with: end.utf8) { index += 1 }
    return min(bytes.count, index + end.utf8.count)
  }
}
