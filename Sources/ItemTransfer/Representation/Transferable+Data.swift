// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

public import FoundationEssentials
internal import UniformTypes

extension Data: Transferable {
  /// Bytes of no stated kind, both ways: `public.data`.
  ///
  /// As every representation conforms to that type, the bytes of the first one come in. To offer bytes as what they
  /// are, register them under their type: `provider.register(.png) { _ in bytes }`.
  public static var transferRepresentation: some TransferRepresentation {
    DataRepresentation(contentType: .data) {
      $0
    } importing: {
      $0
    }
  }
}
