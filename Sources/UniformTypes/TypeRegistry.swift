// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The graph of every declared type, with an index by tag, one for the whole process.
final class TypeRegistry: Sendable {
  static let shared = TypeRegistry()

  fileprivate struct State {
    var declarations: [UTType: TypeDeclaration] = [:]
    /// Keys are tags in lower case; the types that claim one are in order of precedence.
    var typesByTag: [TypeDeclaration.TagKind: [String: [UTType]]] = [:]
    /// Filled on demand and emptied by every declaration.
    var supertypes: [UTType: Set<UTType>] = [:]
    /// Likewise.
    var statements: [UTType: [UTType]] = [:]
  }

  private let state: Mutex<State>

  init(system: [TypeDeclaration] = systemDeclarations) {
    var state = State()
    for declaration in system { state.insert(declaration) }
    self.state = Mutex(state)
  }

  func declaration(of identifier: String) -> TypeDeclaration? {
    let type = UTType(system: identifier)
    return state.withLock { $0.declarations[type] }
  }

  /// Adds a declaration, unless one that counts at least as much is there.
  ///
  /// - Returns: The declaration that holds.
  @discardableResult
  func declare(_ declaration: TypeDeclaration) -> TypeDeclaration {
    let type = UTType(system: declaration.identifier)
    return state.withLock { state in
      if let held = state.declarations[type], held.origin <= declaration.origin { return held }
      state.insert(declaration)
      return declaration
    }
  }

  /// The types that claim a tag, given in lower case: the system's first, then exported ones, then imported ones.
  func types(withTag tag: String, of kind: TypeDeclaration.TagKind) -> [UTType] {
    state.withLock { $0.typesByTag[kind]?[tag] ?? [] }
  }

  func supertypes(of identifier: String) -> Set<UTType> {
    let type = UTType(system: identifier)
    return state.withLock { $0.supertypes(of: type) }
  }

  /// What somebody who knows the system's types alone must be told of a type to know all of its supertypes.
  func statement(of type: UTType) -> [UTType] {
    state.withLock { state in
      if let known = state.statements[type] { return known }
      guard let declaration = state.declarations[type], declaration.origin != .system else { return [] }
      let all = state.supertypes(of: type)
      let implied = all.filter { state.declarations[$0]?.origin == .system }
        .reduce(into: Set<UTType>()) { $0.formUnion(state.supertypes(of: $1)) }
      let statement = all.subtracting(implied).sorted { $0.identifier < $1.identifier }
      state.statements[type] = statement
      return statement
    }
  }
}

extension TypeRegistry.State {
  fileprivate mutating func insert(_ declaration: TypeDeclaration) {
    let type = UTType(system: declaration.identifier)
    for kind in [TypeDeclaration.TagKind.filenameExtension, .mimeType] {
      for tag in declarations[type]?.tags(of: kind) ?? [] {
        typesByTag[kind]?[tag.asciiLowercased]?.removeAll { $0 == type }
      }
      for tag in declaration.tags(of: kind) {
        var types = typesByTag[kind]?[tag.asciiLowercased] ?? []
        let weaker = types.firstIndex { (declarations[$0]?.origin ?? .system) > declaration.origin }
        types.insert(type, at: weaker ?? types.endIndex)
        typesByTag[kind, default: [:]][tag.asciiLowercased] = types
      }
    }
    declarations[type] = declaration
    supertypes.removeAll(keepingCapacity: true)
    statements.removeAll(keepingCapacity: true)
  }

  fileprivate mutating func supertypes(of type: UTType) -> Set<UTType> {
    if let known = supertypes[type] { return known }
    // Not kept: identifiers nobody declared come from anywhere, and their number has no bound.
    guard declarations[type] != nil else { return supertypesOfUndeclared }
    let found = walkSupertypes(of: type)
    supertypes[type] = found
    return found
  }

  /// Walks without recursion and visits each type once, so that neither a long chain nor a cycle does harm.
  ///
  /// A type that was not declared, or whose only parent is itself, is data: transitively, so are those it is parent of.
  fileprivate func walkSupertypes(of start: UTType) -> Set<UTType> {
    var found: Set<UTType> = []
    var pending = [start]
    while let next = pending.popLast() {
      let declaration = declarations[next]
      var parents = (declaration?.conformsTo ?? []).map(UTType.init(system:)).filter { $0 != next }
      if parents.isEmpty, declaration?.origin != .system { parents = [.data] }
      for parent in parents {
        let type = declarations[parent].map { UTType(system: $0.identifier) } ?? parent
        if type != start, found.insert(type).inserted { pending.append(type) }
      }
    }
    return found
  }
}

private let supertypesOfUndeclared: Set<UTType> = [.data, .item]
