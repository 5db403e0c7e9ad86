// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// Every type that is known in this process: the system's, and those declared here by code or from property lists.
///
/// ```swift
/// let refused = TypeRegistry.shared.declare([TypeDeclaration("org.example.saga", conformsTo: ["public.plain-text"])])
/// for declaration in refused { print(declaration) }
/// ```
///
/// What Apple declares holds against everything else, and what a type's owner exports against what others import. A
/// declaration of a well-known type of another owner adds tags to that type, whose parents stay.
/// Nothing that arrives from another process changes the registry.
public final class TypeRegistry: Sendable {
  /// The registry that ``UTType`` asks.
  public static let shared = TypeRegistry()

  private let graph = Lock(TypeGraph())
  /// Answers about the types declared here, as the graph gave them.
  private let answers = ConformanceCache()
  /// What others must be told of a type, valid for one generation of the graph: asked for with every item that is sent.
  private let statements = Lock<[Int: (generation: Int, types: [UTType])]>([:])

  /// Only ``shared`` gives types their slots; others are for tests.
  init() {}

  /// Declares types, all at once: they may conform to each other in any order.
  ///
  /// Declarations hold from this call on, for the life of the process and for every thread.
  ///
  /// What ``UTType/init(exportedAs:conformingTo:)`` and ``UTType/init(importedAs:conformingTo:)`` said of a type before
  /// is no obstacle to a declaration of the same origin: its parents are then among those of the declaration.
  ///
  /// A parent or a tag that is at fault costs that parent or tag only, with a remark
  /// (``RefusedDeclaration/isRemark``).
  ///
  /// - Parameter declarations: Exported and imported ones, which take effect in this order whatever their order here.
  /// - Returns: The declarations that do not hold, and remarks on others, in ascending order.
  @discardableResult
  public func declare(_ declarations: [TypeDeclaration]) -> [RefusedDeclaration] {
    declare(declarations) { "[\($0)]" }
  }

  /// Declares a type by what an initializer of ``UTType`` is told, to which a full declaration may add.
  func declareImplied(_ identifier: String, _ origin: TypeDeclaration.Origin, conformingTo parent: UTType?) {
    let parents = parent.map { [$0.identifier] } ?? []
    let declaration = TypeDeclaration(identifier, origin: origin, conformsTo: parents)
    _ = declare([declaration], areImplied: true) { "[\($0)]" }
  }

  func declare(
    _ declarations: [TypeDeclaration], areImplied: Bool = false, keyPath: (Int) -> String
  ) -> [RefusedDeclaration] {
    var declarations = declarations
    var faults: [(index: Int, fault: DeclarationFault)] = []
    var remarks: [(index: Int, fault: DeclarationFault)] = []
    var valid: [TypeDeclaration.Origin: [Int]] = [:]
    for index in declarations.indices {
      do throws(DeclarationFault) {
        remarks += try declarations[index].validate().map { (index, $0) }
        valid[declarations[index].origin, default: []].append(index)
      } catch {
        faults.append((index, error))
      }
    }
    let groups = TypeDeclaration.Origin.allCases.compactMap { valid[$0] }
    // Under one lock, so that nobody sees a part of them.
    faults += graph.withLock { graph in
      var found: [(index: Int, fault: DeclarationFault)] = []
      for indices in groups {
        let faults = graph.declare(indices.map { declarations[$0] }, areImplied: areImplied)
        if faults.count < indices.count { answers.removeAll() }
        found += faults.map { (indices[$0.index], $0.fault) }
      }
      return found
    }
    let lost = Set(faults.map(\.index))
    let all =
      remarks.filter { !lost.contains($0.index) }.map { ($0, isRemark: true) } + faults.map { ($0, isRemark: false) }
    return all.sorted { $0.0.index < $1.0.index }.map { found, isRemark in
      RefusedDeclaration(
        index: found.index, keyPath: keyPath(found.index) + found.fault.keyPath,
        identifier: declarations[found.index].identifier, reason: found.fault.reason, value: found.fault.value,
        isRemark: isRemark)
    }
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

  /// Another one after each declaration: what was found out before may have changed.
  package var generation: Int { graph.withLock { $0.generation } }

  /// What was made of a type's supertypes, as long as no declaration may have changed them.
  func statement(of slot: Int, making types: () -> [UTType]) -> [UTType] {
    // Looked at first: what is declared meanwhile makes this statement an old one.
    let generation = generation
    if let held = statements.withLock({ $0[slot] }), held.generation == generation { return held.types }
    let types = types()
    statements.withLock { $0[slot] = (generation, types) }
    return types
  }

  /// The slots and identifiers of all supertypes, direct or not.
  func ancestors(of slot: Int) -> [(slot: Int, identifier: String)] {
    graph.withLock { graph in graph.ancestors(of: slot).map { ($0, graph.identifier(at: $0)) } }
  }

  /// The slots of what the type conforms to directly; a type declared without parents is data.
  func parents(of slot: Int) -> [Int] {
    if slot < TypeGraph.systemCount { return Array(SystemTypes.parents(of: slot)) }
    return graph.withLock { graph in
      let parents = graph.parents(at: slot)
      return parents.isEmpty && graph.isDeclared(at: slot) ? [Int(UTType.data.slot)] : parents
    }
  }

  /// The slots and identifiers of the types declared here that bear a tag, exported ones first.
  func claimants(of tag: String, _ tagClass: UTTagClass) -> [(slot: Int, identifier: String)] {
    graph.withLock { graph in graph.claimants(of: tag, tagClass).map { ($0, graph.identifier(at: $0)) } }
  }

  /// The slot and identifier of the first of these that bears an extension and conforms to the other type.
  func claimant(ofExtension filenameExtension: String, conformingTo other: Int) -> (slot: Int, identifier: String)? {
    graph.withLock { graph in
      graph.claimant(ofExtension: filenameExtension, conformingTo: other).map { ($0, graph.identifier(at: $0)) }
    }
  }
}
