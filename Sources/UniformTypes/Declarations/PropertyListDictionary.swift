// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A dictionary of a property list, whose values are asked for by what they should be.
///
/// A value that is something else is a fault that names its key path, and says what it is.
struct PropertyListDictionary {
  private let container: KeyedDecodingContainer<PropertyListKey>
  /// Relative to the declaration.
  let keyPath: String

  private init(_ container: KeyedDecodingContainer<PropertyListKey>, keyPath: String) {
    self.container = container
    self.keyPath = keyPath
  }

  init(_ decoder: any Decoder) throws(DeclarationFault) {
    guard let container = try? decoder.container(keyedBy: PropertyListKey.self) else {
      throw fault(at: "", wanted: "a dictionary", found: PropertyListKind(of: decoder))
    }
    self.init(container, keyPath: "")
  }

  var keyCount: Int { container.allKeys.count }

  /// In ascending order, so that the first fault is the same each time.
  var keys: [PropertyListKey] {
    container.allKeys.sorted { $0.stringValue < $1.stringValue }
  }

  func text(_ key: PropertyListKey) throws(DeclarationFault) -> String? {
    guard container.contains(key) else { return nil }
    guard let text = try? container.decode(String.self, forKey: key) else { throw unexpected(key, "a string") }
    return text
  }

  /// A string or an array of strings; the former counts as an array of one.
  ///
  /// Other values in the array are faults.
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
      throw DeclarationFault(keyPath: "\(keyPath).\(key.stringValue)", reason: .malformed("the array is too long"))
    }
    var values: [Result<String, DeclarationFault>] = []
    while !array.isAtEnd {
      if let text = try? array.decode(String.self) {
        values.append(.success(text))
        continue
      }
      let kind = try? array.decode(PropertyListKind.self)
      let place = "\(keyPath).\(key.stringValue)[\(values.count)]"
      values.append(.failure(fault(at: place, wanted: "a string", found: kind ?? .unreadable)))
      // What cannot be read at all cannot be passed over either.
      if kind == nil { break }
    }
    return (values, false)
  }

  func dictionary(_ key: PropertyListKey) throws(DeclarationFault) -> PropertyListDictionary? {
    guard container.contains(key) else { return nil }
    guard let nested = try? container.nestedContainer(keyedBy: PropertyListKey.self, forKey: key) else {
      throw unexpected(key, "a dictionary")
    }
    return PropertyListDictionary(nested, keyPath: "\(keyPath).\(key.stringValue)")
  }

  /// The version as a whole number: of `1.2`, as a number or as text, the whole part.
  ///
  /// Text that is no number is no version, and no fault either: nothing depends on it.
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

  private func unexpected(_ key: PropertyListKey, _ wanted: String) -> DeclarationFault {
    let kind = (try? container.decode(PropertyListKind.self, forKey: key)) ?? .unreadable
    return fault(at: "\(keyPath).\(key.stringValue)", wanted: wanted, found: kind)
  }
}

private func fault(at keyPath: String, wanted: String, found: PropertyListKind) -> DeclarationFault {
  DeclarationFault(keyPath: keyPath, reason: .malformed("\(wanted) is wanted, \(found) was found"))
}

/// A key of a dictionary: any text.
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
