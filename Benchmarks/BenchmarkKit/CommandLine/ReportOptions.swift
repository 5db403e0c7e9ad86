// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// What `report` is asked to make of a file of results; `-` is standard output.
package struct ReportOptions: Sendable, Equatable {
  package var results: String
  /// A page of charts.
  package var page: String?
  /// Everything as tables.
  package var tables: String?
  /// A file that has a place for a short table.
  package var readme: String?

  package init(results: String, page: String? = nil, tables: String? = nil, readme: String? = nil) {
    self.results = results
    self.page = page
    self.tables = tables
    self.readme = readme
  }
}
