// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The positions in a table or a grid: a section, and a row or an item of the section.
///
/// The properties require a path of two indices. Any other path stops the program, as on Apple's systems.
extension IndexPath {
  /// Creates the path of a table's row.
  public init(row: Int, section: Int) {
    self.init(indexes: [section, row])
  }

  /// Creates the path of a grid's item.
  public init(item: Int, section: Int) {
    self.init(indexes: [section, item])
  }

  /// The section of a table or a grid.
  public var section: Int {
    get { position(0) }
    set { replace(0, newValue) }
  }

  /// The row in the section of a table.
  public var row: Int {
    get { position(1) }
    set { replace(1, newValue) }
  }

  /// The item in the section of a grid.
  public var item: Int {
    get { position(1) }
    set { replace(1, newValue) }
  }

  private func position(_ index: Int) -> Int {
    precondition(count == 2, "the index path has \(count) indices, and not a section and a row")
    return self[index]
  }

  private mutating func replace(_ index: Int, _ value: Int) {
    precondition(count == 2, "the index path has \(count) indices, and not a section and a row")
    self[index] = value
  }
}
