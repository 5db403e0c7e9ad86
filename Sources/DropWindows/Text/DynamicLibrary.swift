// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

internal import DropSystem
internal import Glibc

/// A library that is loaded at run time, and stays loaded.
///
/// The program works without the library, so it must not be linked.
struct DynamicLibrary: @unchecked Sendable {
  // Safe because the handle is constant, and dlsym may be called from any thread.
  private let handle: UnsafeMutableRawPointer

  /// Loads a library; `nil` if it or one of its dependencies is missing.
  ///
  /// A static executable cannot load any library: it has a C library of its own, and would crash.
  ///
  /// - Parameter name: The name with the version, such as `libcairo.so.2`.
  init?(_ name: String) {
    guard SystemCalls.hasDynamicLoader, let handle = dlopen(name, RTLD_NOW | RTLD_LOCAL) else { return nil }
    self.handle = handle
  }

  /// Returns a function as a C function pointer.
  ///
  /// - Parameters:
  ///   - name: The name of the function.
  ///   - type: A `@convention(c)` type, which must match the declaration of the function in C.
  /// - Returns: The function; `nil` if the library lacks it.
  func function<Function>(_ name: String, as type: Function.Type = Function.self) -> Function? {
    dlsym(handle, name).map { unsafeBitCast($0, to: type) }
  }
}
