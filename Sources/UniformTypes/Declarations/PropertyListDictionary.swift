// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A dictionary in a property list.
///
/// Each accessor expects a value of certain kinds. For a value of another kind, it throws a fault with the key path and
/// the kind of the value.
struct PropertyListDictionary {
  private let container: KeyedDecodingContainer<PropertyListKey>
  /// The key path of the dictionary, relative to the declaration.
  let keyPath: String

  private init(_ container: KeyedDecodingContainer<PropertyListKey>, keyPath: String) {
    self.container = container
    self.keyPath = keyPath
  }

  init(_ decoder: any Decoder) throws(DeclarationFault) {
    guard let container = try? decoder.container(keyedBy: PropertyListKey.self) else {
      throw fault(at: "", expected: "a dictionary", found: PropertyListKind(of: decoder))
    }
    self.init(container, keyPath: "")
  }

  var keyCount: Int { container.allKeys.count }

  /// The keys in ascending order, so that the first fault is deterministic.
  var keys: [PropertyListKey] {
    container.allKeys.sorted { $0.stringValue < $1.stringValue }
  }

  /// Returns the string for a key; `nil` if the key is absent.
  func text(_ key: PropertyListKey) throws(DeclarationFault) -> String? {
    guard container.contains(key) else { return nil }
    guard let text = try? container.decode(String.self, forKey: key) else { throw unexpected(key, "a string") }
    return text
  }

  /// Returns the array of strings for a key, or a single string as an array of one element; `nil` if the key is absent.
  ///
  /// An element of another kind is returned as a fault.
  func texts(
    _ key: PropertyListKey
  ) throws(DeclarationFault) -> (values: [Result<String, DeclarationFault>], isSingle: Bool)? {
    guard container.contains(key) else { return nil }
    guard var array = try? container.nestedUnkeyedContainer(forKey: key) else {
      guard let text = try? container.decode(String.self, forKey: key) else {
        throw unexpected(key, "a string or an array of strings")
      }
      return ([.success(text)], true)
    }
    guard array.count ?? 0 <= TypeDeclarationList.maximumValueCount else {
      throw DeclarationFault(
        keyPath: "\(keyPath).\(key.stringValue)",
        reason: .malformed("the array has more than \(TypeDeclarationList.maximumValueCount) elements"))
    }
    var values: [Result<String, DeclarationFault>] = []
    while !array.isAtEnd {
      if let text = try? array.decode(String.self) {
        values.append(.success(text))
        continue
      }
      let kind = try? array.decode(PropertyListKind.self)
      let path = "\(keyPath).\(key.stringValue)[\(values.count)]"
      values.append(.failure(fault(at: path, expected: "a string", found: kind ?? .unreadable)))
      // The decoder cannot skip an unreadable element.
      if kind == nil { break }
    }
    return (values, false)
  }

  /// Returns the dictionary for a key; `nil` if the key is absent.
  func dictionary(_ key: PropertyListKey) throws(DeclarationFault) -> PropertyListDictionary? {
    guard container.contains(key) else { return nil }
    guard let nested = try? container.nestedContainer(keyedBy: PropertyListKey.self, forKey: key) else {
      throw unexpected(key, "a dictionary")
    }
    return PropertyListDictionary(nested, keyPath: "\(keyPath).\(key.stringValue)")
  }

  /// Returns the version as an integer: the integer part of a number, or of a string such as `1.2`.
  ///
  /// Any other string is treated as a missing version, not as a fault.
  func version() throws(DeclarationFault) -> Int? {
    let key = PropertyListKey("UTTypeVersion")
    guard container.contains(key) else { return nil }
    if let number = try? container.decode(Int.self, forKey: key) { return number }
    if let number = try? container.decode(Double.self, forKey: key) { return Int(exactly: number.rounded(.towardZero)) }
    guard let text = try? container.decode(String.self, forKey: key) else {
      throw unexpected(key, "a number or a string")
    }
    return Int(text.prefix { $0 != "." })
  }

  private func unexpected(_ key: PropertyListKey, _ expected: String) -> DeclarationFault {
    let kind = (try? container.decode(PropertyListKind.self, forKey: key)) ?? .unreadable
    return fault(at: "\(keyPath).\(key.stringValue)", expected: expected, found: kind)
  }
}

private func fault(at keyPath: String, expected: String, found: PropertyListKind) -> DeclarationFault {
  DeclarationFault(keyPath: keyPath, reason: .malformed("expected \(expected), found \(found)"))
}

/// A key of a dictionary in a property list, which may be any string.
struct PropertyListKey: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(_ stringValue: String) {
    self.stringValue = stringValue
  }

  init(stringValue: String) {
    self.stringValue = stringValue
  }

  init?(intValue: Int) {
    nil
  }
}

/// The kind of a value in a property list, for messages.
///
/// A decoder does not report the kind of a value, so the initializer tries to decode one kind after another. As this is
/// slow, it is used only to describe faults.
enum PropertyListKind: String, CustomStringConvertible {
  case dictionary = "a dictionary"
  case array = "an array"
  case string = "a string"
  case boolean = "a boolean"
  case number = "a number"
  case date = "a date"
  case data = "data"
  case unreadable = "an unreadable value"

  init(of decoder: any Decoder) {
    if (try? decoder.container(keyedBy: PropertyListKey.self)) != nil {
      self = .dictionary
    } else if (try? decoder.unkeyedContainer()) != nil {
      self = .array
    } else {
      self = (try? decoder.singleValueContainer()).map(Self.init(of:)) ?? .unreadable
    }
  }

  private init(of value: any SingleValueDecodingContainer) {
    if (try? value.decode(String.self)) != nil {
      self = .string
    } else if (try? value.decode(Bool.self)) != nil {
      self = .boolean
    } else if (try? value.decode(Double.self)) != nil {
      self = .number
    } else if (try? value.decode(Date.self)) != nil {
      self = .date
    } else if (try? value.decode(Data.self)) != nil {
      self = .data
    } else {
      self = .unreadable
    }
  }

  var description: String { rawValue }
}

extension PropertyListKind: Decodable {
  /// Determines the kind of the value; the synthesized initializer would read a raw value.
  init(from decoder: any Decoder) {
    self.init(of: decoder)
  }
}
