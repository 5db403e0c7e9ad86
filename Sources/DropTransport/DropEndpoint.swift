// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import ItemCoding
internal import ItemTransfer

/// Where a drop stream goes to or comes from.
public struct DropEndpoint: Sendable, Hashable {
  enum Kind: Sendable, Hashable {
    case standardInput
    case standardOutput
    case descriptor(CInt)
    case file(String, replaces: Bool)
  }

  let kind: Kind

  /// This process's standard input, which stays open.
  public static let standardInput = DropEndpoint(kind: .standardInput)

  /// This process's standard output.
  ///
  /// Once the stream has ended it leads to `/dev/null`, so that the reader sees the end and nothing printed later can
  /// follow it.
  public static let standardOutput = DropEndpoint(kind: .standardOutput)

  /// An open descriptor: a pipe's end, a socket, a file.
  ///
  /// The stream takes it over and closes it.
  public static func descriptor(_ descriptor: CInt) -> DropEndpoint {
    DropEndpoint(kind: .descriptor(descriptor))
  }

  /// A file that holds a drop stream: by custom its name ends in `.drop`.
  ///
  /// A file that is written has an index as well (``DropFile``), and gets its name when it is whole: whatever goes wrong
  /// before, nothing has that name, or what had it still does.
  ///
  /// - Parameters:
  ///   - path: Where the file is, or will be.
  ///   - replacing: Whether what is written may take the place of a file that is there. Nothing is ever added to one.
  /// - Returns: The endpoint; nothing is opened yet.
  public static func file(_ path: String, replacing: Bool = false) -> DropEndpoint {
    DropEndpoint(kind: .file(path, replaces: replacing))
  }

  /// What `openat` and its like take for the current directory.
  package static let currentDirectory: CInt = AT_FDCWD

  var isFile: Bool {
    if case .file = kind { true } else { false }
  }

  /// Where a file is written until it is whole; `nil` for other endpoints.
  func staged() throws(DropStreamError) -> StagedOutput? {
    guard case .file(let path, let replaces) = kind else { return nil }
    return try StagedOutput(path, replaces: replaces)
  }

  /// Opens the endpoint for one direction.
  ///
  /// `access` is `O_RDONLY` or `O_WRONLY`; files are opened for reading here.
  func open(access: CInt) throws(DropStreamError) -> OwnedDescriptor {
    do throws(SystemError) {
      let descriptor = try openNow()
      if try SystemCalls.status(descriptor.raw).kind == .directory { throw SystemError(EISDIR, in: "open") }
      return descriptor
    } catch {
      let code: DropStreamError.Code = access == O_RDONLY ? .sourceUnavailable : .destinationUnavailable
      throw DropStreamError(code, "cannot open \(description)", error)
    }
  }

  private func openNow() throws(SystemError) -> OwnedDescriptor {
    switch kind {
    case .standardInput: OwnedDescriptor(try SystemCalls.duplicate(STDIN_FILENO))
    case .standardOutput: OwnedDescriptor(try SystemCalls.duplicate(STDOUT_FILENO))
    case .descriptor(let descriptor): OwnedDescriptor(descriptor)
    // A FIFO without a writer must not hold up a thread in `open`.
    case .file(let path, _): try .open(path, O_RDONLY | O_NONBLOCK)
    }
  }

  /// Lets the peer see the end even where our own copy of the descriptor was not the last.
  func closeForPeer() {
    guard kind == .standardOutput, let null = try? OwnedDescriptor.open("/dev/null", O_WRONLY) else { return }
    try? SystemCalls.duplicate(null.raw, onto: STDOUT_FILENO)
  }
}

extension DropEndpoint: CustomStringConvertible {
  /// What messages call it.
  public var description: String {
    switch kind {
    case .standardInput: "standard input"
    case .standardOutput: "standard output"
    case .descriptor(let descriptor): "descriptor \(descriptor)"
    case .file(let path, _): path.escapedForDisplay()
    }
  }
}
