// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

package import UniformTypes

/// A choice of items by number, name or type; an item is selected if one of the words matches it.
package struct ItemSelection: Sendable, Hashable {
  /// A word of the user.
  package struct Word: Sendable, Hashable {
    /// A name, or a folder and a name with a slash between them; a number, from 1, if it has digits only.
    package let text: String
    /// The type that the word names, if it names one.
    package let type: UTType?

    /// Creates a word.
    package init(_ text: String, type: UTType?) {
      self.text = text
      self.type = type
    }
  }

  /// The words, as the user gave them.
  package let words: [Word]

  /// Creates a selection.
  package init(_ words: [Word]) { self.words = words }

  /// Returns the indices of the words that name an item by its number, its name, or its folder and name.
  func words(namingItem index: Int, _ name: String?, in folder: String?) -> [Int] {
    words.indices.filter { position in
      let text = words[position].text
      if text == name || text == "\(index + 1)" { return true }
      guard let name, let folder else { return false }
      return text == folder + "/" + name
    }
  }
}
