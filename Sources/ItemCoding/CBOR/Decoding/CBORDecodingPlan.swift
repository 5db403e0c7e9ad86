// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// A plan that decodes the values of one type, in most cases without calling their `init(from:)`.
class CBORDecodingPlan {
  /// Decodes the value at `offset`, a part of `parent`'s value, and moves the offset past it.
  ///
  /// Initialises a value of the plan's type at `value`, unless it throws.
  func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    fatalError("a subclass must override this method")
  }

  /// Returns the plan for `type`; `nil` if its values use `init(from:)`.
  static func plan<Value>(for type: Value.Type) -> CBORDecodingPlan? {
    if let item = type as? any CBORReadableItem.Type { return item.decodingPlan }
    if let fields = type as? any CBORFieldCodable.Type { return fields.fieldDecodingPlan }
    if let composite = type as? any CBORReadableComposite.Type { return composite.decodingPlan }
    return nil
  }
}

/// A type whose values are single data items.
protocol CBORReadableItem {
  static func read(_ input: CBORInput, _ offset: inout Int, _ options: CBORDecoder.Options) throws(CBORFault) -> Self
}

extension CBORReadableItem {
  fileprivate static var decodingPlan: CBORDecodingPlan { CBORItemDecodingPlan<Self>() }
}

private final class CBORItemDecodingPlan<Item: CBORReadableItem>: CBORDecodingPlan {
  override func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    do throws(CBORFault) {
      value.initializeMemory(as: Item.self, to: try Item.read(session.input.pointee, &offset, session.options))
    } catch {
      throw session.error(error, Item.self, in: parent)
    }
  }
}

/// A type with its own plan, whose values contain values of other types.
protocol CBORReadableComposite {
  static var decodingPlan: CBORDecodingPlan { get }
}

extension Optional: CBORReadableComposite where Wrapped: Decodable {
  static var decodingPlan: CBORDecodingPlan { OptionalPlan<Wrapped>() }
}

private final class OptionalPlan<Wrapped: Decodable>: CBORDecodingPlan {
  private let keepsTags = Wrapped.self is any CBORTagKeeping.Type

  override func decode(
    into value: UnsafeMutableRawPointer, _ offset: inout Int, _ session: CBORDecodingSession,
    _ parent: CBORDecodingFrame.Pointer
  ) throws {
    let isNull: Bool
    do throws(CBORFault) {
      // Without this check, every level of nested tags would skip all tags inside it again.
      isNull =
        keepsTags && session.input.pointee.isTag(at: offset)
        ? false : try session.null(&offset, insteadOf: Wrapped.self)
    } catch {
      throw session.error(error, Wrapped.self, in: parent)
    }
    value.initializeMemory(
      as: Wrapped?.self, to: isNull ? nil : try session.decode(Wrapped.self, &offset, in: parent))
  }
}
