// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Names of the directories in which receivers collect files, which show whether the receiver locks the directory.
///
/// A missing lock proves that the receiver has ended only if the receiver could lock the directory. A later receiver
/// removes or continues what it finds in such a directory, so no received file or folder may have a name of this form.
package enum StagingName {
  /// The start of all these names.
  package static let prefix = ".dragpipe-"
  private static let unlockedSuffix = ".unlocked"
  private static let resumableSuffix = ".partial"

  /// Returns a new random name.
  package static func random(isLocked: Bool, isResumable: Bool) -> String {
    prefix + RandomName.text() + (isLocked ? isResumable ? resumableSuffix : "" : unlockedSuffix)
  }

  /// Returns whether the name belongs to a directory that its receiver locks while it runs.
  package static func isLocked(_ name: some BidirectionalCollection<UInt8>) -> Bool {
    guard name.starts(with: prefix.utf8) else { return false }
    let suffixLength = isResumable(name) ? resumableSuffix.utf8.count : 0
    return RandomName.isOne(name.dropFirst(prefix.utf8.count).dropLast(suffixLength))
  }

  /// Returns whether an interrupted receiver keeps the directory of this name for a later receiver.
  package static func isResumable(_ name: some BidirectionalCollection<UInt8>) -> Bool {
    name.suffix(resumableSuffix.utf8.count).elementsEqual(resumableSuffix.utf8)
  }
}

/// Random texts for names that no other process uses.
package enum RandomName {
  private static let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789".utf8)
  private static let length = 12

  /// Returns twelve random letters and digits.
  package static func text() -> String {
    var generator = SystemRandomNumberGenerator()
    let text = (0..<length).map { _ in letters[Int.random(in: 0..<letters.count, using: &generator)] }
    return String(decoding: text, as: UTF8.self)
  }

  /// Returns whether ``text()`` could have returned the given text.
  package static func isOne(_ text: some Collection<UInt8>) -> Bool {
    text.count == length && text.allSatisfy(letters.contains)
  }
}
