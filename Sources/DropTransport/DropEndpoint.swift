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
    case file(String)
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

  /// A file that holds a drop stream, to be read.
  public static func file(_ path: String) -> DropEndpoint {
    DropEndpoint(kind: .file(path))
  }

  /// What `openat` and its like take for the current directory.
  package static let currentDirectory: CInt = AT_FDCWD

  /// Opens the endpoint for one direction; `access` is `O_RDONLY` or `O_WRONLY`.
  func open(access: CInt) throws(DropStreamError) -> OwnedDescriptor {
    if case .file = kind, access != O_RDONLY {
      throw DropStreamError(
        .destinationUnavailable, "cannot write to \(description): a stream is only read from a file")
    }
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
    case .file(let path): try .open(path, O_RDONLY | O_NONBLOCK)
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
    case .file(let path): path.escapedForDisplay()
    }
  }
}
