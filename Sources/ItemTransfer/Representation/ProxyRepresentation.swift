// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials
internal import UniformTypes

/// A representation of a value by another transferable value.
///
/// ```swift
/// ProxyRepresentation(exporting: \.title)                              // as its text
/// ProxyRepresentation { $0.url } importing: { Bookmark(url: $0) }
/// ```
///
/// The representations of the other value take the position of this representation in the order. They keep their
/// visibility. They also keep their conditions, unless the exporting closure is asynchronous.
public struct ProxyRepresentation<Item: Transferable, ProxyRepresentation: Transferable>: TransferRepresentation {
  /// There is no body: the representation stands for the representations of the other value.
  public typealias Body = Never

  private let exporting: (@Sendable (Item) async throws -> ProxyRepresentation)?
  /// Returns the other value without suspension, so that its conditions can be evaluated.
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

  /// Creates a representation for export only.
  ///
  /// - Parameter exporting: Returns the other value.
  public init(exporting: @escaping @Sendable (Item) throws -> ProxyRepresentation) {
    self.init(exporting: exporting, current: exporting, importing: nil)
  }

  /// Creates a representation for export only, by a value that takes time to create.
  ///
  /// The conditions of the other value's representations are ignored.
  ///
  /// - Parameter exporting: Creates the other value on demand.
  @_disfavoredOverload
  public init(exporting: @escaping @Sendable (Item) async throws -> ProxyRepresentation) {
    self.init(exporting: exporting, current: nil, importing: nil)
  }

  /// Creates a representation for import only.
  ///
  /// - Parameter importing: Creates the value from the other value.
  public init(importing: @escaping @Sendable (ProxyRepresentation) async throws -> Item) {
    self.init(exporting: nil, current: nil, importing: importing)
  }

  /// Creates a representation for export and import.
  ///
  /// - Parameters:
  ///   - exporting: Returns the other value.
  ///   - importing: Creates the value from the other value.
  public init(
    exporting: @escaping @Sendable (Item) throws -> ProxyRepresentation,
    importing: @escaping @Sendable (ProxyRepresentation) async throws -> Item
  ) {
    self.init(exporting: exporting, current: exporting, importing: importing)
  }

  /// Creates a representation for export and import, by a value that takes time to create.
  ///
  /// The conditions of the other value's representations are ignored.
  ///
  /// - Parameters:
  ///   - exporting: Creates the other value on demand.
  ///   - importing: Creates the value from the other value.
  @_disfavoredOverload
  public init(
    exporting: @escaping @Sendable (Item) async throws -> ProxyRepresentation,
    importing: @escaping @Sendable (ProxyRepresentation) async throws -> Item
  ) {
    self.init(exporting: exporting, current: nil, importing: importing)
  }
}

extension ProxyRepresentation {
  /// Appends the representations of the other value.
  public func append(to list: inout TransferRepresentationList<Item>) {
    let proxies = ProxyRepresentation.representations
    list.isConditional = list.isConditional || proxies.isConditional
    if let exporting {
      for proxy in proxies.exporters {
        var exporter = TransferRepresentationList<Item>.Exporter(
          contentType: proxy.contentType,
          method: .content { item, progress in try await proxy.export(try await exporting(item), progress) })
        (exporter.visibility, exporter.form) = (proxy.visibility, proxy.form)
        if let condition = proxy.condition, let current {
          exporter.condition = { item in (try? current(item)).map(condition) ?? false }
        }
        list.exporters.append(exporter)
      }
      switch proxies.suggestedName {
      case .fixed(let name): list.suggestedName = .fixed(name)
      case .ofValue(let name):
        if let current { list.suggestedName = .ofValue { item in (try? current(item)).flatMap(name) } }
      case nil: break
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
          }, isListed: proxy.isListed))
    }
  }
}
