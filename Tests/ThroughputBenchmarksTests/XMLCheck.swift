// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import FoundationXML

/// A parser of XML that collects the elements and the text of a document.
final class XMLCheck: NSObject, XMLParserDelegate {
  private struct Element {
    let name: String
    let attributes: [String: String]
    var text = ""
  }

  private(set) var error: (any Error)?
  private var elements: [Element] = []
  private var open: [Int] = []

  init(_ text: String) {
    super.init()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = self
    if !parser.parse() { error = parser.parserError }
  }

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    open.append(elements.count)
    elements.append(Element(name: name, attributes: attributes))
  }

  func parser(_ parser: XMLParser, foundCharacters text: String) {
    if let last = open.last { elements[last].text += text }
  }

  func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
    open.removeLast()
  }

  func count(of name: String) -> Int {
    elements.count { $0.name == name }
  }

  /// Returns the values of an attribute that are numbers.
  func numbers(_ attribute: String) -> [Double] {
    elements.compactMap { $0.attributes[attribute].flatMap(Double.init) }
  }

  /// Returns the approximate start and end of each piece of text.
  func textRuns(width: Double) -> [(from: Double, to: Double)] {
    elements.filter { $0.name == "text" }.map { element in
      let x = element.attributes["x"].flatMap(Double.init) ?? .infinity
      let size = element.attributes["font-size"].flatMap(Double.init) ?? .infinity
      let length = Double(element.text.count) * size * 0.56
      switch element.attributes["text-anchor"] {
      case "middle": return (x - length / 2, x + length / 2)
      case "end": return (x - length, x)
      default: return (x, x + length)
      }
    }
  }
}
