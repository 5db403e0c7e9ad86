// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

import DropScenes
import Foundation
import TestSupport
import Testing
import UniformTypes

@Suite(.serialized, .limited, .timeLimit(minutes: 5)) struct SceneManifestTests {
  private static let board = """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
      <key>CFBundleName</key><string>Board</string>
      <key>NSUserActivityTypes</key><array><string>org.example.open-card</string><string>org.example.add-column</string></array>
      <key>UIApplicationSceneManifest</key><dict>
        <key>UIApplicationSupportsMultipleScenes</key><true/>
        <key>UISceneConfigurations</key><dict>
          <key>UIWindowSceneSessionRoleApplication</key><array>
            <dict><key>UISceneConfigurationName</key><string>Board</string>
              <key>UISceneDelegateClassName</key><string>BoardDelegate</string>
              <key>UISceneStoryboardFile</key><string>Main</string></dict>
            <dict><key>UISceneConfigurationName</key><string>Card</string></dict>
          </array>
          <key>UIWindowSceneSessionRoleExternalDisplayNonInteractive</key><array>
            <dict><key>UISceneConfigurationName</key><string>Wall</string></dict>
          </array>
        </dict>
      </dict>
      <key>UTExportedTypeDeclarations</key><array>
        <dict><key>UTTypeIdentifier</key><string>org.example.card</string></dict>
      </array>
    </dict></plist>
    """

  @Test func readsConfigurationsActivitiesAndTypesInOrder() throws {
    let manifest = try SceneManifest(propertyList: Data(Self.board.utf8))
    #expect(manifest.supportsMultipleScenes)
    #expect(manifest.activityTypes == ["org.example.open-card", "org.example.add-column"])
    let board = try #require(manifest.defaultConfiguration())
    #expect([board.name, board.delegateClassName, board.storyboardName] == ["Board", "BoardDelegate", "Main"])
    #expect(manifest.configuration(named: "Card")?.role == .windowApplication)
    #expect(manifest.configuration(named: "Card", role: .windowExternalDisplay) == nil)
    let wall = manifest.defaultConfiguration(for: .windowExternalDisplay)
    let types = manifest.typeDeclarations?.declarations.map(\.identifier)
    #expect((wall?.name, types) == ("Wall", ["org.example.card"]))
    let list = try PropertyListSerialization.propertyList(from: Data(Self.board.utf8), format: nil)
    let binary = try PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0)
    #expect(try SceneManifest(propertyList: binary).configurations.count == 3)
  }

  @Test func defaultsToSingleScene() throws {
    let list = "<plist><dict><key>UIApplicationSceneManifest</key><dict/></dict></plist>"
    let manifest = try SceneManifest(propertyList: Data(list.utf8))
    #expect(!manifest.supportsMultipleScenes && manifest.configurations.isEmpty && manifest.activityTypes.isEmpty)
  }

  @Test(arguments: [
    ("<key>CFBundleName</key><string>x</string>", "UIApplicationSceneManifest"),
    ("<key>UIApplicationSceneManifest</key><string>x</string>", "UIApplicationSceneManifest"),
    (
      "<key>UIApplicationSceneManifest</key><dict><key>UIApplicationSupportsMultipleScenes</key><string>y</string></dict>",
      "UIApplicationSceneManifest.UIApplicationSupportsMultipleScenes"
    ),
    (
      "<key>UIApplicationSceneManifest</key><dict/><key>NSUserActivityTypes</key><array><integer>1</integer></array>",
      "NSUserActivityTypes[0]"
    ),
    (
      """
      <key>UIApplicationSceneManifest</key><dict><key>UISceneConfigurations</key><dict>
      <key>R</key><array><dict/></array></dict></dict>
      """, "UIApplicationSceneManifest.UISceneConfigurations.R[0].UISceneConfigurationName"
    ),
    (
      """
      <key>UIApplicationSceneManifest</key><dict><key>UISceneConfigurations</key><dict>
      <key>R</key><array><dict><key>UISceneConfigurationName</key><string>A</string></dict>
      <dict><key>UISceneConfigurationName</key><string>A</string></dict></array></dict></dict>
      """, "UIApplicationSceneManifest.UISceneConfigurations.R[1]"
    ),
  ])
  func reportsKeyPathOfFault(content: String, keyPath: String) {
    let error = #expect(throws: SceneManifestError.self) {
      try SceneManifest(propertyList: Data("<plist><dict>\(content)</dict></plist>".utf8))
    }
    #expect(error?.keyPath == keyPath && error?.reason.isEmpty == false)
  }

  @Test func rejectsInvalidPropertyList() {
    for text in ["", "{}", "<plist><dict>", "<plist><array/></plist>"] {
      #expect(throws: SceneManifestError.self) { try SceneManifest(propertyList: Data(text.utf8)) }
    }
  }
}
