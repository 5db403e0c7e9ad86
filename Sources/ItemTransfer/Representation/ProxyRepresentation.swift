// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import UniformTypes

/// Hands over a value by another one that can be handed over already.
///
/// ```swift
/// ProxyRepresentation(exporting: \.title)                              // as its text
/// ProxyRepresentation { $0.url } importing: { Bookmark(url: $0) }
/// ```
///
/// All representations of the other value take this one's place in the order, with their visibility and conditions.
public struct ProxyRepresentation<Item: Transferable, ProxyRepresentation: Transferable>: TransferRepresentation {
  /// Nothing: it stands for the other value's representations.
  public typealias Body = Never

  private let exporting: (@Sendable (Item) async throws -> ProxyRepresentation)?
  /// The other value, where it can be had at once: its conditions are asked then.
  private let current: (@Sendable (Item) throws -> ProxyRepresentation)?
  private let importing: (@Sendable (ProxyRepresentation) async throws -> Item)?

  private init(
    exporting: (@Sendable (Item) async throws -> ProxyRepresentation)?,
    current: (@Sendable (Item) throws -> ProxyRepresentation)?,
    importing: (@Sendable (ProxyRepresentation) async throws -> Item)?
  ) {
    self.exporting = exporting
    self.current = current
    self.importing = importing
  }

  /// Hands over to others only.
  ///
  /// - Parameter exporting: Gives the other value.
  public init(exporting: @escaping @Sendable (Item) throws -> ProxyRepresentation) {
    self.init(exporting: exporting, current: exporting, importing: nil)
  }

  /// Hands over to others only, by a value that takes time to make; its conditions cannot be asked beforehand.
  ///
  /// - Parameter exporting: Makes the other value, when a representation of it is asked for.
  @_disfavoredOverload
  public init(exporting: @escaping @Sendable (Item) async throws -> ProxyRepresentation) {
    self.init(exporting: exporting, current: nil, importing: nil)
  }

  /// Takes from others only.
  ///
  /// - Parameter importing: Makes the value of the other one.
  public init(importing: @escaping @Sendable (ProxyRepresentation) async throws -> Item) {
    self.init(exporting: nil, current: nil, importing: importing)
  }

  /// Hands over both ways.
  ///
  /// - Parameters:
  ///   - exporting: Gives the other value.
  ///   - importing: Makes the value of the other one.
  public init(
    exporting: @escaping @Sendable (Item) throws -> ProxyRepresentation,
    importing: @escaping @Sendable (ProxyRepresentation) async throws -> Item
  ) {
    self.init(exporting: exporting, current: exporting, importing: importing)
  }

  /// Hands over both ways, by a value that takes time to make; its conditions cannot be asked beforehand.
  ///
  /// - Parameters:
  ///   - exporting: Makes the other value, when a representation of it is asked for.
  ///   - importing: Makes the value of the other one.
  @_disfavoredOverload
  public init(
    exporting: @escaping @Sendable (Item) async throws -> ProxyRepresentation,
    importing: @escaping @Sendable (ProxyRepresentation) async throws -> Item
  ) {
    self.init(exporting: exporting, current: nil, importing: importing)
  }
}

extension ProxyRepresentation {
  /// Adds what it stands for.
  public func append(to list: inout TransferRepresentationList<Item>) {
    let proxies = ProxyRepresentation.representations
    list.isChosen = list.isChosen || proxies.isChosen
    if let exporting {
      for proxy in proxies.exporters {
        var exporter = TransferRepresentationList<Item>.Exporter(contentType: proxy.contentType) { item, progress in
          try await proxy.export(try await exporting(item), progress)
        }
        exporter.visibility = proxy.visibility
        if let condition = proxy.condition, let current {
          exporter.condition = { item in (try? current(item)).map(condition) ?? false }
        }
        list.exporters.append(exporter)
      }
      if let name = proxies.suggestedFileName, let current {
        list.suggestedFileName = { item in (try? current(item)).flatMap(name) }
      }
    }
    guard let importing else { return }
    for proxy in proxies.importers {
      list.importers.append(
        .init(
          contentType: proxy.contentType,
          method: .proxy { representation, suggestedName, progress in
            let value = try await proxy.value(from: representation, suggestedName: suggestedName, progress: progress)
            return try await ItemProviderError.wrappingForeign(representation.contentType, as: .undecodable) {
              try await importing(value)
            }
          }))
    }
  }
}
