// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Glibc

/// A SQLite database of named blobs, if the library is installed.
struct SQLite: Sendable {
  private typealias Open =
    @convention(c) (UnsafePointer<CChar>, UnsafeMutablePointer<OpaquePointer?>, CInt, UnsafePointer<CChar>?) -> CInt
  private typealias Prepare =
    @convention(c) (OpaquePointer?, UnsafePointer<CChar>, CInt, UnsafeMutablePointer<OpaquePointer?>, OpaquePointer?) ->
    CInt
  private typealias BindNumber = @convention(c) (OpaquePointer?, CInt, Int64) -> CInt
  private typealias BindBlob = @convention(c) (OpaquePointer?, CInt, UnsafeRawPointer?, CInt, OpaquePointer?) -> CInt
  private typealias Call = @convention(c) (OpaquePointer?) -> CInt
  private typealias Column = @convention(c) (OpaquePointer?, CInt) -> UnsafeRawPointer?
  private typealias ColumnLength = @convention(c) (OpaquePointer?, CInt) -> CInt

  private static let (row, done, readOnly, readWriteCreate): (CInt, CInt, CInt, CInt) = (100, 101, 1, 6)

  private let open: Open
  private let prepare: Prepare
  private let bindNumber: BindNumber
  private let bindBlob: BindBlob
  private let step, reset, finalize, close: Call
  private let column: Column
  private let columnLength: ColumnLength

  /// The library, or `nil` if it is not installed.
  ///
  /// The first use loads it.
  static let shared = SQLite()

  private init?() {
    guard let library = dlopen("libsqlite3.so.0", RTLD_NOW) else { return nil }
    func symbol<Function>(_ name: String, as type: Function.Type) -> Function? {
      dlsym(library, "sqlite3_" + name).map { unsafeBitCast($0, to: type) }
    }
    guard let open = symbol("open_v2", as: Open.self), let prepare = symbol("prepare_v2", as: Prepare.self),
      let bindNumber = symbol("bind_int64", as: BindNumber.self),
      let bindBlob = symbol("bind_blob", as: BindBlob.self), let step = symbol("step", as: Call.self),
      let reset = symbol("reset", as: Call.self), let finalize = symbol("finalize", as: Call.self),
      let close = symbol("close", as: Call.self), let column = symbol("column_blob", as: Column.self),
      let columnLength = symbol("column_bytes", as: ColumnLength.self)
    else { return nil }
    (self.open, self.prepare, self.bindNumber, self.bindBlob) = (open, prepare, bindNumber, bindBlob)
    (self.step, self.reset, self.finalize, self.close) = (step, reset, finalize, close)
    (self.column, self.columnLength) = (column, columnLength)
  }

  /// Writes `count` items with the same content.
  ///
  /// The name of each item is its number.
  func write(_ count: Int, _ content: Data, to path: String) throws {
    try withDatabase(at: path, Self.readWriteCreate) { database in
      try run("create table items(number integer primary key, name text, content blob)", on: database)
      try run("begin", on: database)
      try withStatement("insert into items values (?1, cast(?1 as text), ?2)", on: database) { statement in
        for number in 0..<count {
          try content.withUnsafeBytes { bytes in
            // SQLite does not copy the bytes, so they must stay valid until the row is written.
            guard bindNumber(statement, 1, Int64(number)) == 0,
              bindBlob(statement, 2, bytes.baseAddress, CInt(bytes.count), nil) == 0, step(statement) == Self.done,
              reset(statement) == 0
            else { throw failure("insert") }
          }
        }
      }
      try run("commit", on: database)
    }
  }

  /// Opens the database and reads one item.
  func item(_ number: Int, at path: String) throws -> (name: String, content: Data) {
    try withDatabase(at: path, Self.readOnly) { database in
      try withStatement("select name, content from items where number = ?1", on: database) { statement in
        guard bindNumber(statement, 1, Int64(number)) == 0, step(statement) == Self.row else { throw failure("select") }
        return (String(decoding: bytes(statement, 0), as: UTF8.self), Data(bytes(statement, 1)))
      }
    }
  }

  private func bytes(_ statement: OpaquePointer?, _ index: CInt) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(start: column(statement, index), count: Int(columnLength(statement, index)))
  }

  private func withDatabase<Result>(
    at path: String, _ flags: CInt, _ body: (OpaquePointer?) throws -> Result
  ) throws -> Result {
    var database: OpaquePointer?
    defer { _ = close(database) }
    guard open(path, &database, flags, nil) == 0 else { throw failure("open") }
    return try body(database)
  }

  private func withStatement<Result>(
    _ text: String, on database: OpaquePointer?, _ body: (OpaquePointer?) throws -> Result
  ) throws -> Result {
    var statement: OpaquePointer?
    guard prepare(database, text, -1, &statement, nil) == 0 else { throw failure("prepare") }
    defer { _ = finalize(statement) }
    return try body(statement)
  }

  private func run(_ text: String, on database: OpaquePointer?) throws {
    try withStatement(text, on: database) { guard step($0) == Self.done else { throw failure(text) } }
  }

  private func failure(_ what: String) -> MeasurementFailure {
    MeasurementFailure("SQLite: \(what) failed")
  }
}
