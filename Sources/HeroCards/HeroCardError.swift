// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What is wrong with heroes or cards that came from outside, and exactly where.
///
/// ```swift
/// do throws(HeroCardError) {
///   while let hero = try reader.next() { show(hero) }
/// } catch {
///   print(error)  // data.results[3].name: expected a string, found a number (element at byte 1234)
/// }
/// ```
public struct HeroCardError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of fault.
  @nonexhaustive
  public enum Code: Hashable, Sendable {
    /// The text is no JSON.
    case malformed
    /// The text ends inside a value.
    case truncated
    /// There is no JSON value at all.
    case empty
    /// An element is larger, or nested deeper, than ``HeroCardLimits`` allow.
    case limitExceeded
    /// The JSON is sound, but a value in it is of the wrong type or out of range.
    case invalidValue
    /// The JSON is sound, but what stands where a hero should is none.
    case notHeroes
    /// The JSON is sound, but what stands where a card, column or board should is none.
    case notCards
  }

  /// The kind of fault.
  public let code: Code

  /// The way to the value at fault from the outermost one, such as `data.results[3].comics.available`.
  ///
  /// Empty where the outermost value itself is at fault.
  public let path: String

  /// Where the fault lies, counted from the first byte of the text.
  ///
  /// For a fault of the JSON text itself (``Code/malformed``, ``Code/truncated``) this is the very byte, but for
  /// keys that are no Unicode text; else it is the first byte of the element.
  public let byteOffset: Int64?

  /// What is wrong, in words; what they quote from the text is clipped, and has its control characters escaped.
  public let reason: String

  /// Whether `byteOffset` is where the element begins, not where the fault is.
  private let isOffsetOfElement: Bool

  init(_ code: Code, at path: JSONPath, byteOffset: Int?, isOffsetOfElement: Bool = false, reason: String) {
    self.code = code
    self.path = path.description
    self.byteOffset = byteOffset.map(Int64.init)
    self.reason = reason
    self.isOffsetOfElement = isOffsetOfElement
  }

  /// One sentence with path, reason and place.
  public var description: String {
    var sentence = path.isEmpty ? reason : "\(path): \(reason)"
    if let byteOffset {
      sentence += " (\(isOffsetOfElement ? "element at" : "at") byte \(byteOffset))"
    }
    return sentence
  }
}
