// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Describes the fault that Foundation finds in an XML property list, with its line.
///
/// Foundation counts carriage returns only, so it names line 1 for every fault of most files. Some of its descriptions
/// name no line.
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

  /// The fault in Foundation's words, and its line; `nil` where Foundation finds none.
  var description: String? {
    guard let fault = fault(ofFirst: bytes.count) else { return nil }
    if fault.contains(" line ") { return fault }
    let line = bytes[..<length(with: fault)].count { $0 == UInt8(ascii: "\r") } + 1
    return "\(fault) on line \(line)"
  }

  /// How many bytes must be read for this fault to appear; an end that comes too early is at the end.
  private func length(with fault: String) -> Int {
    var (low, high) = (fault.contains("EOF") ? bytes.count : 0, bytes.count)
    while low < high {
      let middle = (low + high) / 2
      if self.fault(ofFirst: middle) == fault { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private func fault(ofFirst count: Int) -> String? {
    do {
      _ = try PropertyListDecoder().decode(Nothing.self, from: Data(bytes[..<count]))
      return nil
    } catch DecodingError.dataCorrupted(let context) {
      return (context.underlyingError as? CocoaError)?.userInfo["NSDebugDescription"] as? String
    } catch {
      return nil
    }
  }
}
