// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import ItemTransfer

extension NSUserActivity {
  /// An entry of a user info that no other process could read.
  public struct UnusableEntry: Error, CustomStringConvertible {
    /// Where it is, such as `userInfo.powers[2]`.
    public let path: String
    /// What is there.
    public let type: String

    /// A sentence.
    public var description: String { "\(path): a value of type \(type) cannot travel" }
  }

  static func values(
    _ entries: [AnyHashable: Any], at path: String
  ) throws(UnusableEntry) -> [String: UserActivityValue] {
    var values: [String: UserActivityValue] = [:]
    for (key, entry) in entries {
      guard let name = key.base as? String else {
        throw UnusableEntry(path: "\(path), the key \(key.base)", type: "\(type(of: key.base))")
      }
      values[name] = try value(entry, at: "\(path).\(name)")
    }
    return values
  }

  private static func value(_ object: Any, at path: String) throws(UnusableEntry) -> UserActivityValue {
    switch object {
    case is NSNull: return .null
    case let number as NSNumber: return value(of: number)
    case let text as String: return .string(text)
    case let data as Data: return .data(data)
    case let date as Date: return .date(date)
    case let url as URL: return .url(url)
    case let uuid as UUID: return .uuid(uuid)
    case let entries as [AnyHashable: Any]: return .dictionary(try values(entries, at: path))
    case let elements as Set<AnyHashable>:
      var values: Set<UserActivityValue> = []
      for element in elements { values.insert(try value(element.base, at: "\(path){}")) }
      return .set(values)
    case let elements as [Any]:
      var values: [UserActivityValue] = []
      for (index, element) in elements.enumerated() { values.append(try value(element, at: "\(path)[\(index)]")) }
      return .array(values)
    default: throw UnusableEntry(path: path, type: "\(type(of: object))")
    }
  }

  /// By what the number was made of: a truth is no number, and a whole one no floating-point one.
  private static func value(of number: NSNumber) -> UserActivityValue {
    switch String(cString: number.objCType) {
    case "c", "B": .bool(number.boolValue)
    case "d", "f": .double(number.doubleValue)
    case "Q": .unsignedInteger(number.uint64Value)
    default: .integer(number.int64Value)
    }
  }
}

extension UserActivityValue {
  /// What Apple's class has in its user info.
  var object: Any {
    switch self {
    case .array(let values): values.map(\.object)
    case .bool(let flag): flag
    case .data(let data): data
    case .date(let date): date
    case .dictionary(let values): values.mapValues(\.object)
    case .double(let number): number
    case .integer(let number): Int(exactly: number) ?? number
    case .null: NSNull()
    case .set(let values): Set(values.compactMap { $0.object as? AnyHashable })
    case .string(let text): text
    case .unsignedInteger(let number): number
    case .url(let url): url
    case .uuid(let uuid): uuid
    }
  }
}
