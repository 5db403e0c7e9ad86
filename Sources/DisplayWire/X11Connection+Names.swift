// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Synchronization

/// The atoms and extensions that a connection has already requested.
struct X11NameCache: Sendable {
  /// The maximum number of cached atoms.
  ///
  /// An atom that is not cached is requested each time.
  static let maximumCount = 65_536

  /// The atoms by the bytes of their names: `String` would take a Greek question mark for a semicolon.
  private var atoms: [[UInt8]: X11Atom] = [:]
  private var names: [X11Atom: String] = [:]
  /// The requested extensions; the value is `nil` for an extension that the server lacks.
  var extensions: [String: X11Extension?] = [:]

  func atom(_ name: [UInt8]) -> X11Atom? { atoms[name] }

  func name(_ atom: X11Atom) -> String? { names[atom] }

  mutating func add(_ name: String, _ atom: X11Atom) {
    guard atoms.count < Self.maximumCount, names.count < Self.maximumCount, atom != .none else { return }
    atoms[Array(name.utf8)] = atom
    names[atom] = name
  }
}

extension X11Connection {
  /// Returns the atoms for names.
  ///
  /// All names that are not cached are requested in one round trip.
  ///
  /// - Throws: `limitExceeded` for a name of more than 65,535 bytes; the errors of ``response(to:)``.
  package func intern(_ names: [String]) async throws(DisplayError) -> [X11Atom] {
    var pending: [(name: String, key: [UInt8], response: X11PendingResponse<X11Atom>)] = []
    let keys = names.map { Array($0.utf8) }
    var atoms: [[UInt8]: X11Atom] = [:]
    for (name, key) in zip(names, keys) where atoms[key] == nil {
      let known = self.names.withLock { $0.atom(key) }
      // The value of a pending name is replaced below.
      atoms[key] = known ?? X11Atom.none
      if known == nil {
        guard name.utf8.count <= 65_535 else {
          throw DisplayError(.limitExceeded, "a name of \(name.utf8.count) bytes exceeds the display's limit of 65535")
        }
        pending.append((name, key, try begin(.internAtom(name))))
      }
    }
    for (name, key, response) in pending {
      let atom = try await response.value()
      self.names.withLock { $0.add(name, atom) }
      atoms[key] = atom
    }
    return keys.map { atoms[$0] ?? .none }
  }

  /// Returns the atom for a name.
  package func intern(_ name: String) async throws(DisplayError) -> X11Atom {
    try await intern([name]).first ?? .none
  }

  /// Returns the names of atoms.
  ///
  /// All names that are not cached are requested in one round trip.
  ///
  /// Other programs choose the names, so they are untrusted.
  ///
  /// - Returns: The names, with `nil` for each number that is not an atom.
  /// - Throws: The errors of ``response(to:)`` except `requestFailed`.
  package func names(of atoms: [X11Atom]) async throws(DisplayError) -> [String?] {
    var pending: [(atom: X11Atom, response: X11PendingResponse<String>)] = []
    var found: [X11Atom: String] = [:]
    for atom in Set(atoms) where atom != .none {
      if let name = names.withLock({ $0.name(atom) }) {
        found[atom] = name
      } else {
        pending.append((atom, try begin(.getAtomName(atom))))
      }
    }
    for (atom, response) in pending {
      do throws(DisplayError) {
        let name = try await response.value()
        names.withLock { $0.add(name, atom) }
        found[atom] = name
      } catch {
        guard error.code == .requestFailed else { throw error }
      }
    }
    return atoms.map { found[$0] }
  }

  /// Returns an extension of the server.
  ///
  /// The response is cached, also if the server lacks the extension.
  ///
  /// - Returns: The extension; `nil` if the server lacks it.
  /// - Throws: The errors of ``response(to:)``.
  package func serverExtension(_ name: String) async throws(DisplayError) -> X11Extension? {
    if let known = names.withLock({ $0.extensions[name] }) { return known }
    let found = try await response(to: .queryExtension(name))
    names.withLock { $0.extensions[name] = .some(found) }
    return found
  }

  /// Negotiates the version of the extension XFIXES and returns the extension.
  ///
  /// From then on, its events arrive as ``X11Event/Kind/selectionOwnerNotify(_:)``.
  ///
  /// - Returns: The extension; `nil` if the server lacks it.
  /// - Throws: The errors of ``response(to:)``.
  package func xfixes() async throws(DisplayError) -> X11Extension? {
    guard let xfixes = try await serverExtension(X11Extension.xfixesName) else { return nil }
    _ = try await response(to: .xfixesQueryVersion(xfixes))
    channel.change { state, _ in state.xfixes = xfixes }
    return xfixes
  }
}

/// The atoms for all names that an enumeration lists.
package struct X11AtomTable<Name: CaseIterable & Hashable & RawRepresentable & Sendable>: Sendable
where Name.RawValue == String {
  private let atoms: [Name: X11Atom]

  /// Requests the atoms of all names, in one round trip.
  ///
  /// - Throws: The errors of ``X11Connection/intern(_:)-([String])``.
  package init(_ connection: X11Connection) async throws(DisplayError) {
    let names = Array(Name.allCases)
    let found = try await connection.intern(names.map(\.rawValue))
    self.init(Dictionary(uniqueKeysWithValues: zip(names, found)))
  }

  /// Creates a table from known atoms.
  package init(_ atoms: [Name: X11Atom]) {
    self.atoms = atoms
  }

  /// The atom for a name.
  package subscript(_ name: Name) -> X11Atom { atoms[name] ?? .none }
}
