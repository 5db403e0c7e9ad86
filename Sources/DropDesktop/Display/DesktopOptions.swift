// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

/// Timeouts and limits of transfers with other programs of the desktop, which are not trusted.
public struct DesktopOptions: Sendable, Hashable {
  /// The display systems.
  public enum System: String, Sendable, Hashable, CaseIterable {
    /// The X Window System, version 11.
    case x11
    /// Wayland.
    case wayland
  }

  /// The display system; `nil` for Wayland if a compositor is found, and otherwise X11.
  public var system: System?
  /// The maximum wait for the next response or part from another program or the server; positive.
  ///
  /// By default 10 seconds.
  public var idleTimeout: Duration = .seconds(10)
  /// The maximum number of bytes of one representation.
  ///
  /// By default 4 GiB.
  public var maximumBytes = 4 << 30
  /// The maximum number of types that another program may offer; further types are ignored.
  ///
  /// By default 256.
  public var maximumTypes = 256
  /// The maximum number of requests that an offer serves at the same time; further requests are refused.
  ///
  /// By default 64.
  public var maximumTransfers = 64
  /// The maximum length of the parts in which long values cross, in bytes.
  ///
  /// By default 1 MiB.
  public var chunkBytes = 1 << 20

  /// Creates the default options.
  public init() {}
}
