// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing

@testable import UniformTypes

/// The scanner of the descriptions in the MIME database.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct MIMEXMLScannerTests {
  private func attributeCounts(_ text: String) -> [Int] {
    var scanner = MIMEXMLScanner(Array(text.utf8))
    var counts: [Int] = []
    while let tag = scanner.nextTag() { counts.append(tag.attributes.count) }
    return counts
  }

  @Test(arguments: [(63, [63, 0]), (64, [64, 0]), (65, [])])
  func elementsHaveAsManyAttributesAsTheLimitAllows(count: Int, counts: [Int]) {
    let attributes = (0..<count).map { " a\($0)='\($0)'" }.joined()
    #expect(attributeCounts("<glob\(attributes)/><next>") == counts)
  }

  @Test(arguments: [(4096, [1, 0]), (4097, [])])
  func valuesAreAsLongAsTheLimitAllows(length: Int, counts: [Int]) {
    #expect(attributeCounts("<glob pattern='\(String(repeating: "x", count: length))'/><next>") == counts)
  }
}
