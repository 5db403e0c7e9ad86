// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropSystem
import Foundation
import ItemTransfer
import TestSupport
import Testing
import UniformTypes

@testable import DropTransport

/// Extraction of a representation to a file, and its failures.
@Suite(.serialized, .limited, .timeLimit(.minutes(5))) struct DropFileExtractionTests {
  private static let content = pattern(200_000)
  private let directory: TemporaryDirectory

  init() throws {
    directory = try TemporaryDirectory()
  }

  private var names: Set<String> {
    get throws { Set(try FileManager.default.contentsOfDirectory(atPath: directory.url.path)) }
  }

  /// Writes a file of one item with two representations: one in a single frame, one in many frames.
  private func file() async throws -> DropFile {
    let path = directory.file("a.drop").path
    try await DropStream.withWriter(to: .file(path, replacing: true)) { writer in
      let item = ItemProvider(loading: .data) { _ in Data(Self.content) }
      item.registerChunks(.png, Data(Self.content), by: Self.content.count)
      try await writer.write(item)
    }
    return try await DropFile(path: path)
  }

  /// Extracts a representation with a given copier in place of the kernel.
  private func extract(
    _ representation: Int = 0, _ interruption: Interruption = Interruption(),
    by copy: @escaping DropFileExtraction.KernelCopy
  ) async throws -> [UInt8] {
    let file = try await file()
    let content = try await file.contents(ofItem: 0)[representation]
    let target = directory.file("out")
    let output = try OwnedDescriptor.open(target.path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
    let count = try DropFileExtraction(file.handle, content, interruption, kernelCopy: copy)
      .write(to: output, name: "out")
    #expect(count == UInt64(Self.content.count))
    return Array(try Data(contentsOf: target))
  }

  @Test(arguments: [0, EXDEV, ENOSYS, EOPNOTSUPP])
  func bytesAreReadAndWrittenIfTheKernelCannotCopy(code: CInt) async throws {
    let content = try await extract { _, _, _ throws(SystemError) in
      if code != 0 { throw SystemError(code, in: "copy_file_range") }
      return 0
    }
    #expect(content == Self.content)
  }

  /// A copier that copies a given number of pages of zeros and then fails to copy more.
  private final class Pages {
    private var left: Int
    private(set) var calls = 0

    init(_ count: Int) {
      left = count
    }

    func copy(to output: CInt) throws(SystemError) -> UInt64 {
      calls += 1
      guard left > 0 else { return 0 }
      left -= 1
      let page = UnsafeMutableRawBufferPointer.allocate(byteCount: 4096, alignment: 16)
      defer { page.deallocate() }
      page.initializeMemory(as: UInt8.self, repeating: 0)
      try SystemCalls.writeAll(output, UnsafeRawBufferPointer(page))
      return 4096
    }
  }

  @Test func fileThatChangesDuringACopyIsAnError() async throws {
    let pages = Pages(3)
    try await requireDropError(.truncated) {
      try await extract { _, _, output throws(SystemError) in try pages.copy(to: output) }
    }
    #expect(pages.calls == 4)
    let zeros = Pages(.max)
    try await requireDropError(.damaged) {
      try await extract { _, _, output throws(SystemError) in
        while zeros.calls < 49 { _ = try zeros.copy(to: output) }
        return 200_000
      }
    }
  }

  @Test(arguments: [0, 1])
  func copyCanBeInterruptedBetweenTwoSteps(representation: Int) async throws {
    let interruption = Interruption()
    let pages = Pages(.max)
    if representation == 1 { interruption.raise() }
    try await requireDropError(.cancelled) {
      try await extract(representation, interruption) { count, _, output throws(SystemError) in
        #expect(count <= DropFileExtraction.stepLength)
        if pages.calls == 1 { interruption.raise() }
        return try pages.copy(to: output)
      }
    }
    #expect(pages.calls == (representation == 0 ? 2 : 0))
  }

  @Test(arguments: [0, 1])
  func cancelledTaskExtractsNothingAndLeavesNoFile(representation: Int) async throws {
    let file = try await file()
    let target = directory.file("out").path
    let task = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await file.extract(item: 0, representation: representation, to: target)
    }
    try await requireDropError(.cancelled) { try await task.value }
    #expect(try names == ["a.drop"])
  }

  @Test(arguments: [70_000, 100])
  func corruptContentIsNotExtractedAndLeavesNoFile(length: Int) async throws {
    let path = directory.file("a.drop").path
    try await DropStream.withWriter(to: .file(path)) { try await $0.write(ItemProvider(pattern(length))) }
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let start = Int(try await DropFile(path: path).contents(ofItem: 0)[0].offset) + FrameHeader.length
    bytes[start + length / 2] ^= 1
    let damaged = try await DropFile(path: try directory.write(bytes, to: "damaged.drop").path)
    try await requireDropError(.damaged) {
      try await damaged.extract(item: 0, representation: 0, to: directory.file("out").path)
    }
    #expect(try names == ["a.drop", "damaged.drop"])
  }
}
