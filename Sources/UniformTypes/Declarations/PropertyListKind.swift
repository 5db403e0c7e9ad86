// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// What a value of a property list is, for saying so to a person.
///
/// A decoder does not tell; it is asked for one kind after the other. That is slow, and done for faults only.
enum PropertyListKind: String, CustomStringConvertible {
  case dictionary = "a dictionary"
  case array = "an array"
  case string = "a string"
  case boolean = "a boolean"
  case number = "a number"
  case date = "a date"
  case data = "data"
  case unreadable = "something unreadable"

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

/// Not through the raw value, as an enumeration would have it.
extension PropertyListKind: Decodable {
  init(from decoder: any Decoder) {
    self.init(of: decoder)
  }
}
