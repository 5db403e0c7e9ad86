// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// The registry of all types that this process knows: system types, and types that code or property lists declare.
///
/// ```swift
/// let refused = TypeRegistry.shared.declare([TypeDeclaration("org.example.saga", conformsTo: ["public.plain-text"])])
/// for declaration in refused { print(declaration) }
/// ```
///
/// A type has one of two kinds of declaration:
/// - An explicit declaration is a ``TypeDeclaration``, from code or from a property list.
/// - An implied declaration comes from ``UTType/init(exportedAs:conformingTo:)`` or
///   ``UTType/init(importedAs:conformingTo:)``. It has an identifier and at most one parent, and no tags.
///
/// Apple's declarations take precedence over all others, an exported declaration of a type over an imported
/// declaration, and an explicit declaration over an implied declaration of the same origin. An explicit declaration of
/// a built-in type that Apple does not declare adds tags to that type, which keeps its parents. Data from other
/// processes never changes the registry.
public final class TypeRegistry: Sendable {
  /// The registry that ``UTType`` uses.
  public static let shared = TypeRegistry()

  private let graph = Lock(TypeGraph())
  /// For each slot, the cached supertypes to send with every item to other processes, valid for one generation.
  private let statements = Lock<[Int: (generation: Int, types: [UTType])]>([:])

  /// Creates a registry for tests; values of ``UTType`` do not refer to it, as their slots belong to ``shared``.
  init() {}

  /// Declares types in one step, so that they may conform to each other in any order.
  ///
  /// Declarations are in effect from this call on, for the life of the process and for every thread.
  ///
  /// An explicit declaration replaces an earlier implied one of the same origin, and takes over its parent.
  ///
  /// A faulty parent or tag is left out of its declaration, with a remark (``RefusedDeclaration/isRemark``).
  ///
  /// - Parameter declarations: The declarations. Exported types are declared before imported types, regardless of their
  ///   order in the list.
  /// - Returns: The refused declarations, and remarks on others, in ascending order of their indices.
  @discardableResult
  public func declare(_ declarations: [TypeDeclaration]) -> [RefusedDeclaration] {
    declare(declarations) { "[\($0)]" }
  }

  /// Adds an implied declaration, unless another declaration takes precedence or the identifier is invalid.
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
    // One critical section adds all declarations, so that other threads see all of them or none.
    faults += graph.withLock { graph in
      var found: [(index: Int, fault: DeclarationFault)] = []
      for indices in groups {
        let faults = graph.declare(indices.map { declarations[$0] }, areImplied: areImplied)
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

  /// The declarations of this process: first built-in types, then other types in the order in which declarations first
  /// used their identifiers.
  var declarations: [TypeDeclaration] {
    graph.withLock { $0.declarations }
  }

  // MARK: Queries of UTType

  /// Returns the slot of a type, its identifier in the registry's spelling, and whether it is declared.
  ///
  /// Returns `nil` for a type that no declaration mentions.
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
    return graph.withLock { $0.conforms(slot, to: other) }
  }

  /// A number that increases with each declaration that may change the results of earlier conformance queries.
  package var generation: Int { graph.withLock { $0.generation } }

  /// Returns the supertypes to send for a type: the cached list, or a new list if a declaration may have changed it.
  func statement(of slot: Int, making types: () -> [UTType]) -> [UTType] {
    // The generation is read first, so that a concurrent declaration invalidates the computed supertypes.
    let generation = generation
    if let held = statements.withLock({ $0[slot] }), held.generation == generation { return held.types }
    let types = types()
    statements.withLock { $0[slot] = (generation, types) }
    return types
  }

  /// Returns the slots and identifiers of all supertypes, direct and indirect.
  func ancestors(of slot: Int) -> [(slot: Int, identifier: String)] {
    graph.withLock { graph in graph.ancestors(of: slot).map { ($0, graph.identifier(at: $0)) } }
  }

  /// Returns the slots of the direct supertypes.
  ///
  /// For a type that this process declared without parents, this is the slot of `public.data`.
  func parents(of slot: Int) -> [Int] {
    if slot < TypeGraph.systemCount { return Array(SystemTypes.parents(of: slot)) }
    return graph.withLock { graph in
      let parents = graph.parents(at: slot)
      return parents.isEmpty && graph.isDeclared(at: slot) ? [Int(UTType.data.slot)] : parents
    }
  }

  /// Returns the slots and identifiers of the types that this process declared with a tag, exported types first.
  func claimants(of tag: String, _ tagClass: UTTagClass) -> [(slot: Int, identifier: String)] {
    graph.withLock { graph in graph.claimants(of: tag, tagClass).map { ($0, graph.identifier(at: $0)) } }
  }
}
