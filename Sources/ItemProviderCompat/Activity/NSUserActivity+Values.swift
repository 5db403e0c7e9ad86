// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ItemTransfer

extension NSUserActivity {
  /// An entry of a user info that cannot be sent to another process.
  public struct UnusableEntry: Error, CustomStringConvertible {
    /// The path of the entry, such as `userInfo.powers[2]`.
    public let path: String
    /// The type of the value.
    public let type: String

    /// The error in one sentence, with the path and the type.
    public var description: String { "\(path): a value of type \(type) cannot be sent" }
  }

  static func values(
    _ entries: [AnyHashable: Any], at path: String, depth: Int = 1
  ) throws(UnusableEntry) -> [String: UserActivityValue] {
    try checkDepth(depth, at: path)
    var values: [String: UserActivityValue] = [:]
    for (key, entry) in entries {
      guard let name = key.base as? String else {
        throw UnusableEntry(path: "\(path), the key \(key.base)", type: "\(type(of: key.base))")
      }
      values[name] = try value(entry, at: "\(path).\(name)", depth: depth)
    }
    return values
  }

  /// Converts an object.
  ///
  /// The function tests for collections first: a cast of a collection to another type would bridge all its elements.
  private static func value(_ object: Any, at path: String, depth: Int) throws(UnusableEntry) -> UserActivityValue {
    if let optional = object as? any OptionalEntry {
      return try optional.entry.map { entry throws(UnusableEntry) in try value(entry, at: path, depth: depth) } ?? .null
    }
    switch object {
    case let elements as [Any]:
      try checkDepth(depth + 1, at: path)
      var values: [UserActivityValue] = []
      for (index, element) in elements.enumerated() {
        values.append(try value(element, at: "\(path)[\(index)]", depth: depth + 1))
      }
      return .array(values)
    case let entries as [AnyHashable: Any]: return .dictionary(try values(entries, at: path, depth: depth + 1))
    case let elements as Set<AnyHashable>:
      try checkDepth(depth + 1, at: path)
      var values: Set<UserActivityValue> = []
      for element in elements { values.insert(try value(element.base, at: "\(path){}", depth: depth + 1)) }
      return .set(values)
    default: return try scalar(object, at: path)
    }
  }

  private static func checkDepth(_ depth: Int, at path: String) throws(UnusableEntry) {
    guard depth <= UserActivityLimits.maximumDepth else {
      throw UnusableEntry(path: path, type: "collection nested in \(UserActivityLimits.maximumDepth) others")
    }
  }

  private static func scalar(_ object: Any, at path: String) throws(UnusableEntry) -> UserActivityValue {
    switch object {
    case is NSNull: return .null
    case let number as CGFloat where type(of: object) == CGFloat.self: return .double(Double(number))
    case let number as Int8 where type(of: object) == Int8.self: return .integer(Int64(number))
    case let number as NSNumber: return value(of: number)
    case let text as String: return .string(text)
    case let data as Data: return .data(data)
    case let date as Date: return .date(date)
    case let url as URL: return .url(url)
    case let uuid as UUID: return .uuid(uuid)
    default: throw UnusableEntry(path: path, type: "\(type(of: object))")
    }
  }

  /// Returns the value by the number's original type: a boolean is not a number, and an integer is not a floating-point
  /// number.
  private static func value(of number: NSNumber) -> UserActivityValue {
    switch String(cString: number.objCType) {
    // A boolean has the same code as a one-byte number, so 0 and 1 are read as booleans.
    case "c", "B":
      number.int8Value == 0 || number.int8Value == 1 ? .bool(number.boolValue) : .integer(number.int64Value)
    case "d", "f": .double(number.doubleValue)
    case "Q": .unsignedInteger(number.uint64Value)
    default: .integer(number.int64Value)
    }
  }
}

/// An optional of any type, for finding optionals in a dictionary of `Any`.
private protocol OptionalEntry {
  var entry: Any? { get }
}

extension Optional: OptionalEntry {
  fileprivate var entry: Any? { self }
}

extension UserActivityValue {
  /// The value as an object in the user info of ``NSUserActivity``.
  ///
  /// Numbers are `NSNumber`, which converts to every number type.
  var object: Any {
    switch self {
    case .array(let values): values.map(\.object)
    case .bool(let flag): NSNumber(value: flag)
    case .data(let data): data
    case .date(let date): date
    case .dictionary(let values): values.mapValues(\.object)
    case .double(let number): NSNumber(value: number)
    case .integer(let number): NSNumber(value: number)
    case .null: NSNull()
    case .set(let values): Set(values.map(\.hashableObject))
    case .string(let text): text
    case .unsignedInteger(let number): NSNumber(value: number)
    case .url(let url): url
    case .uuid(let uuid): uuid
    }
  }

  /// The value as an element of a set.
  ///
  /// An array or a dictionary becomes an object, because a collection of `Any` is not hashable.
  private var hashableObject: AnyHashable {
    switch self {
    case .array(let values): NSArray(array: values.map(\.object))
    case .dictionary(let values): NSDictionary(dictionary: values.mapValues(\.object))
    case .set(let values): Set(values.map(\.hashableObject))
    default: object as? AnyHashable ?? AnyHashable(NSNull())
    }
  }
}
