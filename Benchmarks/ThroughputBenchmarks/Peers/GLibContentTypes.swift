// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The content types of GLib, if the library is installed.
struct GLibContentTypes: Sendable {
  private typealias IsA = @convention(c) (UnsafePointer<CChar>, UnsafePointer<CChar>) -> CInt
  private typealias Guess =
    @convention(c) (UnsafePointer<CChar>?, UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<CInt>?)
    -> UnsafeMutablePointer<CChar>?
  private typealias Free = @convention(c) (UnsafeMutableRawPointer?) -> Void

  private let isA: IsA
  private let guess: Guess
  private let free: Free

  /// The library, or `nil` if it is not installed.
  ///
  /// The first use loads it.
  static let shared = GLibContentTypes()

  private init?() {
    guard let library = dlopen("libgio-2.0.so.0", RTLD_NOW),
      let isA = dlsym(library, "g_content_type_is_a"), let guess = dlsym(library, "g_content_type_guess"),
      let free = dlsym(library, "g_free")
    else { return nil }
    self.isA = unsafeBitCast(isA, to: IsA.self)
    self.guess = unsafeBitCast(guess, to: Guess.self)
    self.free = unsafeBitCast(free, to: Free.self)
  }

  func isA(_ type: CText, _ parent: CText) -> Bool {
    isA(type.bytes, parent.bytes) != 0
  }

  /// Returns whether GLib finds a type, and frees the string that it returns.
  func guess(_ name: CText, _ content: [UInt8]) -> Bool {
    let answer = content.withUnsafeBufferPointer { guess(name.bytes, $0.isEmpty ? nil : $0.baseAddress, $0.count, nil) }
    defer { free(answer) }
    return answer != nil
  }
}

/// A C string that is created before the measurement and never freed.
struct CText {
  let bytes: UnsafePointer<CChar>

  init(_ text: String) {
    guard let bytes = strdup(text) else { fatalError("out of memory") }
    self.bytes = UnsafePointer(bytes)
  }
}

/// Programs that are compared if they are installed.
enum InstalledPrograms {
  static func has(_ name: String) -> Bool {
    guard let path = getenv("PATH").map({ String(cString: $0) }) else { return false }
    return path.split(separator: ":").contains { access("\($0)/\(name)", X_OK) == 0 }
  }
}
