// Part of DragPipe.
// SPDX-License-Identifier: Apache-2.0

// The core protocol.
extension WaylandInterface {
  package static let display = WaylandInterface(
    "wl_display", 1, requests: "sync:n=wl_callback get_registry:n=wl_registry",
    // The object of an error may already be destroyed, so it is read as a number.
    events: "error:uus delete_id:u")
  package static let registry = WaylandInterface(
    "wl_registry", 1, requests: "bind:usun", events: "global:usu global_remove:u")
  package static let callback = WaylandInterface("wl_callback", 1, events: "done!:u")
  package static let compositor = WaylandInterface(
    "wl_compositor", 6, requests: "create_surface:n=wl_surface create_region:n=wl_region")
  package static let subcompositor = WaylandInterface(
    "wl_subcompositor", 1, requests: "destroy! get_subsurface:noo=wl_subsurface")
  package static let subsurface = WaylandInterface(
    "wl_subsurface", 1, requests: "destroy! set_position:ii place_above:o place_below:o set_sync set_desync")
  package static let region = WaylandInterface("wl_region", 1, requests: "destroy! add:iiii subtract:iiii")
  package static let surface = WaylandInterface(
    "wl_surface", 6,
    requests: """
      destroy! attach:?oii damage:iiii frame:n=wl_callback set_opaque_region:?o set_input_region:?o commit \
      set_buffer_transform:2i set_buffer_scale:3i damage_buffer:4iiii offset:5ii
      """,
    events: "enter:o leave:o preferred_buffer_scale:6i preferred_buffer_transform:6u")
  package static let shm = WaylandInterface(
    "wl_shm", 1, requests: "create_pool:nhi=wl_shm_pool", events: "format:u")
  package static let shmPool = WaylandInterface(
    "wl_shm_pool", 1, requests: "create_buffer:niiiiu=wl_buffer destroy! resize:i")
  package static let buffer = WaylandInterface("wl_buffer", 1, requests: "destroy!", events: "release")

  package static let seat = WaylandInterface(
    "wl_seat", 8,
    requests: "get_pointer:n=wl_pointer get_keyboard:n=wl_keyboard get_touch release!:5",
    events: "capabilities:u name:2s")
  package static let pointer = WaylandInterface(
    "wl_pointer", 8, requests: "set_cursor:u?oii release!:3",
    events: """
      enter:uoff leave:uo motion:uff button:uuuu axis:uuf frame:5 axis_source:5u axis_stop:5uu axis_discrete:5ui \
      axis_value120:8ui
      """)
  package static let keyboard = WaylandInterface(
    "wl_keyboard", 8, requests: "release!:3",
    events: "keymap:uhu enter:uoa leave:uo key:uuuu modifiers:uuuuu repeat_info:4ii")
  package static let output = WaylandInterface(
    "wl_output", 4, requests: "release!:3",
    events: "geometry:iiiiissi mode:uiii done:2 scale:2i name:4s description:4s")

  package static let dataDeviceManager = WaylandInterface(
    "wl_data_device_manager", 3,
    requests: "create_data_source:n=wl_data_source get_data_device:no=wl_data_device")
  package static let dataDevice = WaylandInterface(
    "wl_data_device", 3, requests: "start_drag:?oo?ou set_selection:?ou release!:2",
    events: "data_offer:n=wl_data_offer enter:uoff?o leave motion:uff drop selection:?o")
  package static let dataSource = WaylandInterface(
    "wl_data_source", 3, requests: "offer:s destroy! set_actions:3u",
    events: "target:?s send:sh cancelled dnd_drop_performed:3 dnd_finished:3 action:3u")
  package static let dataOffer = WaylandInterface(
    "wl_data_offer", 3, requests: "accept:u?s receive:sh destroy! finish:3 set_actions:3uu",
    events: "offer:s source_actions:3u action:3u")
}

// Windows.
extension WaylandInterface {
  package static let windowBase = WaylandInterface(
    "xdg_wm_base", 5, requests: "destroy! create_positioner get_xdg_surface:no=xdg_surface pong:u", events: "ping:u")
  package static let xdgSurface = WaylandInterface(
    "xdg_surface", 5,
    requests: "destroy! get_toplevel:n=xdg_toplevel get_popup set_window_geometry:iiii ack_configure:u",
    events: "configure:u")
  package static let toplevel = WaylandInterface(
    "xdg_toplevel", 5,
    requests: """
      destroy! set_parent:?o set_title:s set_app_id:s show_window_menu:ouii move:ou resize:ouu set_max_size:ii \
      set_min_size:ii set_maximized unset_maximized set_fullscreen:?o unset_fullscreen set_minimized
      """,
    events: "configure:iia close configure_bounds:4ii wm_capabilities:5a")
  package static let decorationManager = WaylandInterface(
    "zxdg_decoration_manager_v1", 1,
    requests: "destroy! get_toplevel_decoration:no=zxdg_toplevel_decoration_v1")
  package static let toplevelDecoration = WaylandInterface(
    "zxdg_toplevel_decoration_v1", 1, requests: "destroy! set_mode:u unset_mode", events: "configure:u")
  package static let fractionalScaleManager = WaylandInterface(
    "wp_fractional_scale_manager_v1", 1, requests: "destroy! get_fractional_scale:no=wp_fractional_scale_v1")
  package static let fractionalScale = WaylandInterface(
    "wp_fractional_scale_v1", 1, requests: "destroy!", events: "preferred_scale:u")
  package static let viewporter = WaylandInterface(
    "wp_viewporter", 1, requests: "destroy! get_viewport:no=wp_viewport")
  package static let viewport = WaylandInterface(
    "wp_viewport", 1, requests: "destroy! set_source:ffff set_destination:ii")
  package static let cursorShapeManager = WaylandInterface(
    "wp_cursor_shape_manager_v1", 1, requests: "destroy! get_pointer:no=wp_cursor_shape_device_v1 get_tablet_tool_v2")
  package static let cursorShapeDevice = WaylandInterface(
    "wp_cursor_shape_device_v1", 1, requests: "destroy! set_shape:uu")
}

// Clipboards.
extension WaylandInterface {
  package static let primarySelectionManager = WaylandInterface(
    "zwp_primary_selection_device_manager_v1", 1,
    requests: """
      create_source:n=zwp_primary_selection_source_v1 get_device:no=zwp_primary_selection_device_v1 destroy!
      """)
  package static let primarySelectionDevice = WaylandInterface(
    "zwp_primary_selection_device_v1", 1, requests: "set_selection:?ou destroy!",
    events: "data_offer:n=zwp_primary_selection_offer_v1 selection:?o")
  package static let primarySelectionSource = dataControlSource.named("zwp_primary_selection_source_v1", 1)
  package static let primarySelectionOffer = dataControlOffer.named("zwp_primary_selection_offer_v1", 1)

  package static let dataControlManager = dataControlManager("ext", 1)
  package static let dataControlDevice = dataControlDevice("ext", 1)
  package static let dataControlSource = WaylandInterface(
    "ext_data_control_source_v1", 1, requests: "offer:s destroy!", events: "send:sh cancelled")
  package static let dataControlOffer = WaylandInterface(
    "ext_data_control_offer_v1", 1, requests: "receive:sh destroy!", events: "offer:s")
  package static let wlrDataControlManager = dataControlManager("zwlr", 2)
  package static let wlrDataControlDevice = dataControlDevice("zwlr", 2)
  package static let wlrDataControlSource = dataControlSource.named("zwlr_data_control_source_v1", 1)
  package static let wlrDataControlOffer = dataControlOffer.named("zwlr_data_control_offer_v1", 1)

  private static func dataControlManager(_ prefix: String, _ version: UInt32) -> WaylandInterface {
    WaylandInterface(
      "\(prefix)_data_control_manager_v1", version,
      requests: """
        create_data_source:n=\(prefix)_data_control_source_v1 get_data_device:no=\(prefix)_data_control_device_v1 \
        destroy!
        """)
  }

  /// Returns the interface of a device, whose messages for the primary selection exist since `version`.
  private static func dataControlDevice(_ prefix: String, _ version: UInt32) -> WaylandInterface {
    WaylandInterface(
      "\(prefix)_data_control_device_v1", version,
      requests: "set_selection:?o destroy! set_primary_selection:\(version)?o",
      events: """
        data_offer:n=\(prefix)_data_control_offer_v1 selection:?o finished primary_selection:\(version)?o
        """)
  }
}

// Input of tests.
extension WaylandInterface {
  package static let virtualPointerManager = WaylandInterface(
    "zwlr_virtual_pointer_manager_v1", 2,
    requests: """
      create_virtual_pointer:?on=zwlr_virtual_pointer_v1 destroy! \
      create_virtual_pointer_with_output:2?o?on=zwlr_virtual_pointer_v1
      """)
  package static let virtualPointer = WaylandInterface(
    "zwlr_virtual_pointer_v1", 2,
    requests: """
      motion:uff motion_absolute:uuuuu button:uuu axis:uuf frame axis_source:u axis_stop:uu axis_discrete:uufi destroy!
      """)
}

extension WaylandInterface {
  /// All interfaces.
  static let all: [WaylandInterface] = [
    .display, .registry, .callback, .compositor, .subcompositor, .subsurface, .region, .surface, .shm, .shmPool,
    .buffer, .seat, .pointer, .keyboard,
    .output, .dataDeviceManager, .dataDevice, .dataSource, .dataOffer, .windowBase, .xdgSurface, .toplevel,
    .decorationManager, .toplevelDecoration, .fractionalScaleManager, .fractionalScale, .viewporter, .viewport,
    .cursorShapeManager, .cursorShapeDevice, .primarySelectionManager,
    .primarySelectionDevice, .primarySelectionSource, .primarySelectionOffer, .dataControlManager, .dataControlDevice,
    .dataControlSource, .dataControlOffer, .wlrDataControlManager, .wlrDataControlDevice, .wlrDataControlSource,
    .wlrDataControlOffer, .virtualPointerManager, .virtualPointer,
  ]

  private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.name, $0) })

  /// Returns the interface with a name.
  package static func named(_ name: String) -> WaylandInterface? { byName[name] }
}
