// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestSupport
import Testing

@testable import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct MIMECacheFileTests {
  private static let contents = MIMECacheContents(
    aliases: "a/alias a/x\n", parents: "a/x a/y\na/x text/plain\n",
    globs: "50:a/x:*.x\n40:a/y:*.tar.x:cs\n10:a/z:name\n50:a/w:*.[xy]*\n", roots: "urn:x root a/x\n",
    magic: [("a/x", 50, [.init("PK", [.init([1, 2], at: 2, positions: 9, wordSize: 2, mask: [3, 4])])])])

  /// Returns the fault of a file in which a number is replaced.
  private func fault(_ number: Int, at offset: Int, in contents: MIMECacheContents = contents) -> String? {
    var bytes = contents.bytes
    for (index, shift) in [24, 16, 8, 0].enumerated() {
      bytes[offset + index] = UInt8(truncatingIfNeeded: number >> shift)
    }
    do throws(MIMECacheFile.Fault) {
      _ = try MIMECacheFile(bytes)
      return nil
    } catch {
      return error.description
    }
  }

  private func number(_ offset: Int) -> Int {
    Self.contents.bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) }
  }

  @Test func faultStatesItsOffset() {
    let list = number(4)
    #expect(fault(1 << 16 | 1, at: 0) == "byte 0: this is not a cache of version 1.2")
    #expect(fault(1 << 20, at: 4) == "byte 1048576: the file ends before this number")
    #expect(fault(0xFFFF_FFFF, at: list) == "byte \(list + 4): 4294967295 entries exceed the file")
    #expect(
      fault(1 << 20, at: list + 4) == "byte 1048576: this is not a text of at most 1024 bytes and a NUL")
    let rule = number(number(number(24) + 8) + 12)
    #expect(fault(3, at: rule + 8) == "byte \(rule + 8): the word size is 3, and the length of the value is 2")
  }

  @Test func cyclesAreRejected() {
    let root = number(16)
    let rule = number(number(number(24) + 8) + 12)
    for (offset, target) in [(number(root + 4) + 8, number(root + 4)), (rule + 28, rule)] {
      let fault = fault(target, at: offset) ?? ""
      #expect(fault.contains("overlaps") || fault.contains("more than"), "\(fault)")
    }
  }

  @Test func truncatedFilesAreRejected() throws {
    let bytes = Self.contents.bytes
    for length in 0..<bytes.count where (try? MIMECacheFile(Array(bytes.prefix(length)))) != nil {
      // Only unused bytes may be missing.
      Issue.record("\(length) of \(bytes.count) bytes")
    }
    _ = try MIMECacheFile(bytes)
  }

  @Test(arguments: [(32, true), (33, false)])
  func depthOfRulesIsLimited(depth: Int, isRead: Bool) {
    let rule = (1..<depth).reduce(MIMECacheContents.Rule("ab")) { rule, _ in .init("ab", [rule]) }
    let file = try? MIMECacheFile(MIMECacheContents(magic: [("a/x", 50, [rule])]).bytes)
    #expect((file != nil) == isRead)
  }

  @Test func otherTextIsNotAType() throws {
    let names = ["a/b", "A/b.c", "", "a", "a/", "/a", "a/b/c", "../b", "a/..", "a//b", "a/b\u{1B}", "a/ä"]
    let long = "a/" + String(repeating: "b", count: 253)
    let text = (names + [long, long + "b"]).map { "x/x \($0)\n" }.joined()
    let file = try MIMECacheFile(MIMECacheContents(aliases: text).bytes)
    #expect(file.entries(.aliases, of: 8).compactMap { file.type($0 + 4) } == ["a/b", "A/b.c", long])
  }

  @Test func changedFilesDoNotTrap() throws {
    var numbers = SeededGenerator.announced(#function)
    let original = Self.contents.bytes
    var readCount = 0
    for _ in 0..<(isFullRun ? 4000 : 800) {
      var bytes = original
      for _ in 0..<Int.random(in: 1...3, using: &numbers) {
        let index = Int.random(in: 4..<bytes.count, using: &numbers)
        bytes[index] = Bool.random(using: &numbers) ? .random(in: 0...255, using: &numbers) : bytes[index] ^ 4
      }
      guard let file = try? MIMECacheFile(bytes) else { continue }
      readCount += 1
      _ = file.extent
      let tables = MIMETables([file])
      for name in ["a.tar.x", "name", "a.xz"] {
        for search in [MIMECacheFile.literalClaims, MIMECacheFile.suffixClaims, MIMECacheFile.wildcardClaims] {
          for found in search(file)(name) { _ = file.type(found.claim) }
        }
      }
      var work = MIMEMagicRule.maximumWork
      for rule in tables.rules { _ = rule.rule.matches(Array("PK\u{1}\u{2}".utf8).span, in: file, &work) }
    }
    #expect(readCount > 0)
  }
}
