// swift-tools-version: 6.3
// Part of DragPipe. SPDX-License-Identifier: Apache-2.0

import PackageDescription

// A developer's build and CI fail on a warning; a stranger's newer compiler that warns of more must not.
let strict = Context.environment["DRAGPIPE_STRICT"] != nil

// The commit that `dragpipe --version` states.
let commit = Context.environment["DRAGPIPE_COMMIT"]

let settings: [SwiftSetting] =
  [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
  ] + (strict ? [.treatAllWarnings(as: .error)] : [])

/// Code for Apple's systems is compiled in its own language modes, and without a warning.
let swift5: [SwiftSetting] = [.swiftLanguageMode(.v5), .treatAllWarnings(as: .error)]
let swift6: [SwiftSetting] = [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)]

/// Samples say no more than a program of others would have to.
let samples: [SwiftSetting] = [.swiftLanguageMode(.v6)] + (strict ? [.treatAllWarnings(as: .error)] : [])

let package = Package(
  name: "DragPipe",
  products: [
    .library(name: "DragPipe", targets: ["DragPipe"]),
    // CBOR and property lists alone.
    .library(name: "ItemCoding", targets: ["ItemCoding"]),
    .library(name: "HeroCards", targets: ["HeroCards"]),
    .library(name: "DropScenes", targets: ["DropScenes"]),
    .library(name: "DropSceneUI", targets: ["DropSceneUI"]),
    .library(name: "DropDesktop", targets: ["DropDesktop"]),
    // Apple's names, for code that is to compile unchanged; taken only by who asks for them.
    .library(name: "ItemProviderCompat", targets: ["ItemProviderCompat"]),
    .library(name: "UniformTypeIdentifiers", targets: ["UniformTypeIdentifiers"]),
    .library(name: "CoreTransferable", targets: ["CoreTransferable"]),
    .library(name: "MobileCoreServices", targets: ["MobileCoreServices"]),
    .library(name: "CoreServices", targets: ["CoreServices"]),
    // For files that import these modules and use little of them. None of them draws.
    .library(name: "UIKit", targets: ["UIKit"]),
    .library(name: "AppKit", targets: ["AppKit"]),
    .library(name: "Cocoa", targets: ["Cocoa"]),
    .library(name: "SwiftUI", targets: ["SwiftUI"]),
    .executable(name: "dragpipe", targets: ["dragpipe"]),
    .executable(name: "ThroughputBenchmarks", targets: ["ThroughputBenchmarks"]),
  ],
  targets: [
    // The ground floor: what every module needs from the operating system.
    .target(name: "CDropShims", cSettings: commit.map { [.define("DRAGPIPE_COMMIT", to: "\"\($0)\"")] } ?? []),
    .target(name: "DropSystem", dependencies: ["CDropShims"], swiftSettings: settings),

    // The X11 and Wayland protocols over the display's socket, and calls over the session bus of D-Bus.
    .target(name: "DisplayWire", dependencies: ["DropSystem"], swiftSettings: settings),
    // A small window on an X11 display: its drawing, its layout and its input.
    .target(name: "DropWindows", dependencies: ["DisplayWire", "DropSystem"], swiftSettings: settings),

    // Types, coders and item providers, within one process.
    .target(name: "UniformTypes", dependencies: ["DropSystem"], swiftSettings: settings),
    .target(name: "ItemCoding", dependencies: ["DropSystem"], swiftSettings: settings),
    .target(name: "ItemTransfer", dependencies: ["UniformTypes", "ItemCoding", "DropSystem"], swiftSettings: settings),

    // Between processes.
    .target(
      name: "DropTransport", dependencies: ["ItemTransfer", "UniformTypes", "CDropShims", "DropSystem"],
      swiftSettings: settings),

    // Apps whose windows are processes, and the objects of the samples.
    .target(
      name: "DropScenes", dependencies: ["DropTransport", "ItemTransfer", "ItemCoding", "UniformTypes", "DropSystem"],
      swiftSettings: settings),
    .target(
      name: "HeroCards", dependencies: ["ItemTransfer", "UniformTypes", "ItemCoding", "DropSystem"],
      swiftSettings: settings),
    .target(
      name: "DragPipe", dependencies: ["UniformTypes", "ItemCoding", "ItemTransfer", "DropTransport"],
      swiftSettings: settings),

    // The clipboard and drags of a desktop.
    .target(
      name: "DropDesktop",
      dependencies: ["DisplayWire", "DropTransport", "ItemTransfer", "UniformTypes", "DropSystem"],
      swiftSettings: settings),
    // The user interface of such apps, in a terminal and on a desktop.
    .target(
      name: "DropSceneUI",
      dependencies: [
        "DisplayWire", "DropDesktop", "DropScenes", "DropSystem", "DropTransport", "DropWindows", "ItemTransfer",
        "UniformTypes",
      ],
      swiftSettings: settings),
    .target(
      name: "ItemProviderCompat", dependencies: ["UniformTypes", "ItemTransfer", "DropSystem"],
      swiftSettings: settings),
    .target(
      name: "CoreTransferable", dependencies: ["ItemProviderCompat", "ItemTransfer", "UniformTypes"],
      swiftSettings: settings),
    // Lets `import UniformTypeIdentifiers.UTType` compile.
    .target(name: "UniformTypeIdentifiersSubmodules"),
    .target(
      name: "UniformTypeIdentifiers",
      dependencies: ["CoreTransferable", "ItemProviderCompat", "UniformTypeIdentifiersSubmodules", "UniformTypes"],
      swiftSettings: settings),

    .target(name: "MobileCoreServices", dependencies: ["UniformTypes"], swiftSettings: settings),
    .target(name: "CoreServices", dependencies: ["MobileCoreServices"], swiftSettings: settings),
    // The compiler requires the modules with an underscore in tests that import UIKit or AppKit.
    .target(name: "_Testing_UIKit"),
    .target(name: "_Testing_AppKit"),
    .target(
      name: "UIKit", dependencies: ["_Testing_UIKit", "ItemProviderCompat", "UniformTypeIdentifiers"],
      swiftSettings: settings),
    .target(name: "AppKit", dependencies: ["_Testing_AppKit", "UniformTypeIdentifiers"], swiftSettings: settings),
    .target(name: "Cocoa", dependencies: ["AppKit"], swiftSettings: settings),
    .target(name: "SwiftUI", dependencies: ["CoreTransferable", "UIKit"], swiftSettings: settings),

    .target(
      name: "DragPipeTool",
      dependencies: [
        "UniformTypes", "ItemCoding", "ItemTransfer", "DropTransport", "DisplayWire", "DropDesktop", "DropWindows",
        "HeroCards", "DropSystem", "CDropShims",
      ],
      swiftSettings: settings),
    .executableTarget(name: "dragpipe", dependencies: ["DragPipeTool"], swiftSettings: settings),

    .target(name: "CAllocationCounter", path: "Benchmarks/CAllocationCounter"),
    // Statistics, reports and thresholds: nothing of what is measured.
    .target(name: "BenchmarkKit", path: "Benchmarks/BenchmarkKit", swiftSettings: settings),
    .executableTarget(
      name: "ThroughputBenchmarks",
      // The tool is measured as a process of its own; it only has to be there.
      dependencies: [
        "BenchmarkKit", "CAllocationCounter", "CDropShims", "DragPipe", "DropSystem", "DropTransport", "HeroCards",
        "UniformTypes", "dragpipe",
      ],
      path: "Benchmarks/ThroughputBenchmarks", swiftSettings: settings),

    .executableTarget(
      name: "LazyHero", dependencies: ["DragPipe", "HeroCards"], path: "Samples/LazyHero", swiftSettings: settings),
    // The README's example, line for line.
    .executableTarget(
      name: "Recipes", dependencies: ["DragPipe"], path: "Samples/Recipes", swiftSettings: samples),
    .executableTarget(
      name: "RemoteHeroes", dependencies: ["DragPipe", "HeroCards"], path: "Samples/RemoteHeroes",
      swiftSettings: settings),

    // The tutorials' apps; their windows are processes.
    .executableTarget(
      name: "BoardApp",
      dependencies: ["DropScenes", "DropTransport", "HeroCards", "ItemTransfer", "DropSceneUI"],
      path: "Samples/BoardApp", exclude: ["Info.plist"], swiftSettings: samples),
    .executableTarget(
      name: "ExtraWindows", dependencies: ["DropScenes", "ItemTransfer", "DropSceneUI"],
      path: "Samples/ExtraWindows", swiftSettings: samples),
    // As a program of others has it.
    .executableTarget(
      name: "NotesApp", dependencies: ["DragPipe", "DropScenes", "DropSceneUI"], path: "Samples/NotesApp",
      swiftSettings: samples),
    .executableTarget(
      name: "PhotoGallery",
      dependencies: [
        "DropScenes", "DropTransport", "ItemTransfer", "DropSceneUI", "UniformTypes",
      ],
      path: "Samples/PhotoGallery", swiftSettings: samples),
    .executableTarget(
      name: "HeroesApp",
      dependencies: ["DropScenes", "DropTransport", "HeroCards", "ItemTransfer", "DropSceneUI", "UniformTypes"],
      path: "Samples/HeroesApp", exclude: ["film.py"], swiftSettings: samples),
    .executableTarget(
      name: "SharedDates",
      dependencies: ["DropScenes", "DropTransport", "ItemTransfer", "DropSceneUI"],
      path: "Samples/SharedDates", swiftSettings: samples),

    // As a program for Apple's systems has them, but for one file.
    .target(
      name: "AppleSources",
      dependencies: [
        "CoreTransferable", "ItemProviderCompat", "MobileCoreServices", "SwiftUI", "UIKit", "UniformTypeIdentifiers",
      ],
      path: "Samples/AppleSources", swiftSettings: samples),
    .target(
      name: "AppleSourcesSwift5",
      dependencies: [
        "AppKit", "CoreServices", "CoreTransferable", "ItemProviderCompat", "MobileCoreServices",
        "UniformTypeIdentifiers",
      ],
      path: "Samples/AppleSourcesSwift5", swiftSettings: strict ? swift5 : [.swiftLanguageMode(.v5)]),

    .target(
      name: "TestSupport", dependencies: ["DisplayWire", "DropSystem"], path: "Tests/TestSupport",
      swiftSettings: settings),
    .testTarget(
      name: "DropSystemTests", dependencies: ["DropSystem", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "DisplayWireTests", dependencies: ["DisplayWire", "DropSystem", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "DropWindowsTests", dependencies: ["DisplayWire", "DropSystem", "DropWindows", "TestSupport"],
      exclude: ["Golden"], swiftSettings: settings),
    .testTarget(
      name: "UniformTypesTests", dependencies: ["DropSystem", "UniformTypes", "TestSupport"],
      exclude: ["Golden"],
      swiftSettings: settings),
    .testTarget(
      name: "ItemCodingTests", dependencies: ["DropSystem", "ItemCoding", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "ItemTransferTests",
      dependencies: ["DropSystem", "ItemTransfer", "ItemCoding", "TestSupport", "UniformTypes"],
      exclude: ["Golden"],
      swiftSettings: settings),
    .testTarget(
      name: "DropTransportTests",
      dependencies: ["DropSystem", "DropTransport", "DragPipe", "ItemTransfer", "TestSupport", "UniformTypes"],
      exclude: ["Golden"],
      swiftSettings: settings),
    .executableTarget(
      name: "SceneProbe", dependencies: ["DropScenes", "DropTransport", "ItemTransfer"], path: "Tests/SceneProbe",
      swiftSettings: samples),
    .testTarget(
      name: "DropDesktopTests",
      dependencies: [
        "DisplayWire", "DropDesktop", "DropSystem", "DropTransport", "ItemTransfer", "TestSupport", "UniformTypes",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "DropScenesTests",
      dependencies: [
        "DropSystem", "SceneProbe", "DropScenes", "DropTransport", "ItemCoding", "ItemTransfer", "TestSupport",
        "UniformTypes",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "ItemProviderCompatTests",
      dependencies: [
        "AppleSources", "CoreTransferable", "DropSystem", "DropTransport", "ItemProviderCompat", "ItemTransfer",
        "TestSupport", "UniformTypeIdentifiers", "UniformTypes",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "MobileCoreServicesTests", dependencies: ["CoreServices", "TestSupport", "UniformTypes"],
      swiftSettings: swift6),
    .testTarget(
      name: "UIKitTests", dependencies: ["AppleSources", "DropTransport", "TestSupport", "UIKit"],
      swiftSettings: settings),
    // Code in the style of Swift 5, in Swift 6.
    .target(
      name: "AppleMainActor", dependencies: ["UIKit"], path: "Tests/AppleMainActor",
      swiftSettings: swift6 + [.defaultIsolation(MainActor.self)]),
    .testTarget(
      name: "AppleMembersTests",
      dependencies: [
        "AppleMainActor", "Cocoa", "CoreServices", "CoreTransferable", "SwiftUI", "TestSupport", "UIKit",
        "UniformTypeIdentifiers",
      ],
      swiftSettings: swift6),
    .testTarget(
      name: "AppleMembersSwift5Tests",
      dependencies: [
        "AppleSourcesSwift5", "Cocoa", "CoreServices", "CoreTransferable", "ItemProviderCompat", "SwiftUI",
        "TestSupport", "UIKit", "UniformTypeIdentifiers",
      ],
      swiftSettings: swift5),
    .testTarget(
      name: "DropSceneUITests",
      dependencies: ["DropScenes", "DropSceneUI", "DropSystem", "DropWindows", "ItemTransfer", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "SampleStoryTests",
      dependencies: [
        "BoardApp", "ExtraWindows", "HeroesApp", "LazyHero", "NotesApp", "PhotoGallery", "RemoteHeroes", "SharedDates",
        "DisplayWire", "DropScenes", "DropSystem", "DropTransport", "HeroCards", "TestSupport",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "HeroCardsTests", dependencies: ["HeroCards", "ItemCoding", "TestSupport"], swiftSettings: settings),
    .testTarget(
      name: "ThroughputBenchmarksTests",
      // The program itself is built beside them, and run as one: it stands in for the C library's heap.
      dependencies: ["DropSystem", "BenchmarkKit", "TestSupport"],
      swiftSettings: settings),
    .testTarget(
      name: "DragPipeToolTests",
      dependencies: [
        "DropDesktop", "DropSystem", "DragPipeTool", "DropTransport", "DropWindows", "HeroCards", "ItemTransfer",
        "TestSupport",
        "UniformTypes",
      ],
      swiftSettings: settings),
    .testTarget(
      name: "DragPipeEndToEndTests",
      dependencies: [
        "DisplayWire", "DropSystem", "dragpipe", "HeroCards", "TestSupport",
      ],
      swiftSettings: settings),
  ]
)
