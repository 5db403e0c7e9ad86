// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Every type that is known in this process: the system's, and those declared here by code or from property lists.
///
/// ```swift
/// let refused = TypeRegistry.shared.declare([TypeDeclaration("org.example.saga", conformsTo: ["public.plain-text"])])
/// for declaration in refused { print(declaration) }
/// ```
///
/// What the system declares holds against everything else, and what a type's owner exports against what others import.
/// Nothing that arrives from another process changes the registry.
public final class TypeRegistry: Sendable {
  /// The registry that ``UTType`` asks.
  public static let shared = TypeRegistry()

  private let graph = Mutex(TypeGraph())
  /// Answers about the types declared here, as the graph gave them.
  private let answers = ConformanceCache()

  /// Only ``shared`` gives types their slots; others are for tests.
  init() {}

  /// Declares types, all at once: they may conform to each other in any order.
  ///
  /// Declarations hold from this call on, for the life of the process and for every thread.
  ///
  /// - Parameter declarations: Exported and imported ones, which take effect in this order whatever their order here.
  /// - Returns: The declarations that do not hold, in ascending order; all others do.
  @discardableResult
  public func declare(_ declarations: [TypeDeclaration]) -> [RefusedDeclaration] {
    declare(declarations) { "[\($0)]" }
  }

  func declare(_ declarations: [TypeDeclaration], keyPath: (Int) -> String) -> [RefusedDeclaration] {
    var refused: [RefusedDeclaration] = []
    func refuse(_ index: Int, _ fault: DeclarationFault) {
      refused.append(
        RefusedDeclaration(
          index: index, keyPath: keyPath(index) + fault.keyPath, identifier: declarations[index].identifier,
          reason: fault.reason))
    }
    var valid: [TypeDeclaration.Origin: [Int]] = [:]
    for (index, declaration) in declarations.enumerated() {
      do throws(DeclarationFault) {
        try declaration.validate()
        valid[declaration.origin, default: []].append(index)
      } catch {
        refuse(index, error)
      }
    }
    for origin in TypeDeclaration.Origin.allCases {
      guard let indices = valid[origin] else { continue }
      let faults = graph.withLock { graph in
        let faults = graph.declare(indices.map { declarations[$0] })
        if faults.count < indices.count { answers.removeAll() }
        return faults
      }
      for (position, fault) in faults { refuse(indices[position], fault) }
    }
    return refused.sorted { $0.index < $1.index }
  }

  /// What this process has declared, in the order of the first mention of each type; the system's types are not among
  /// them.
  public var declarations: [TypeDeclaration] {
    graph.withLock { $0.declarations }
  }

  // MARK: For UTType

  /// The slot and the declared spelling of a type.
  func find(_ identifier: String) -> (slot: Int, identifier: String, isDeclared: Bool)? {
    if let index = SystemTypes.index(of: identifier) {
      return (index, SystemTypes.identifiers[index], index < SystemTypes.declaredCount)
    }
    return graph.withLock { graph in
      graph.slot(of: identifier).map { ($0, graph.identifier(at: $0), graph.isDeclared(at: $0)) }
    }
  }

  func declaration(at slot: Int) -> TypeDeclaration? {
    graph.withLock { $0.declaration(at: slot) }
  }

  func conforms(_ slot: Int, to other: Int) -> Bool {
    if slot < TypeGraph.systemCount { return other < TypeGraph.systemCount && SystemTypes.conforms(slot, to: other) }
    if let known = answers.answer(slot, conformsTo: other) { return known }
    return graph.withLock { graph in
      let answer = graph.conforms(slot, to: other)
      answers.remember(answer, slot, conformsTo: other)
      return answer
    }
  }

  /// The slots and identifiers of all supertypes, direct or not.
  func ancestors(of slot: Int) -> [(slot: Int, identifier: String)] {
    graph.withLock { graph in graph.ancestors(of: slot).map { ($0, graph.identifier(at: $0)) } }
  }

  /// The slots of what the type conforms to directly.
  func parents(of slot: Int) -> [Int] {
    slot < TypeGraph.systemCount ? Array(SystemTypes.parents(of: slot)) : graph.withLock { $0.parents(at: slot) }
  }

  /// The slots and identifiers of the types declared here that bear a tag, exported ones first.
  func claimants(of tag: String, _ tagClass: UTTagClass) -> [(slot: Int, identifier: String)] {
    graph.withLock { graph in graph.claimants(of: tag, tagClass).map { ($0, graph.identifier(at: $0)) } }
  }
}
