// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

extension Never: Transferable {
  /// Nothing: there is no value to offer, and none that could come in.
  public static var transferRepresentation: some TransferRepresentation {
    OptionalRepresentation<DataRepresentation<Never>>(wrapped: nil)
  }
}

extension Never: TransferRepresentation {
  /// Nothing can be handed over as nothing.
  public typealias Item = Never
  /// There is no value to have a body.
  public typealias Body = Never
}
