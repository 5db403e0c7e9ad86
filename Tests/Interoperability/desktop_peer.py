#!/usr/bin/env python3
"""A window of GTK 3, GTK 4 or Qt 5 that is a source or a target of drags, for tests.

    desktop_peer.py gtk3|gtk4|qt5 source|target text|bytes|files [COUNT|PATH...]
    desktop_peer.py gtk3 target picture

On X11, the window covers the upper left corner of the screen. A source offers a text of COUNT characters, COUNT bytes as
`image/png`, or files. A target prints what it has received. The target of a picture is a text field that shows it. Each
line of output is one event:

    ready                  the window is visible
    text COUNT ok|bad      the text has arrived
    bytes COUNT ok|bad     the bytes have arrived
    file PATH              a file has arrived
    picture WIDTH HEIGHT   the text field shows a picture
    end copy|move|other    the drag of a source has ended
"""

import os
import sys

# The test states the display system as GDK_BACKEND and QT_QPA_PLATFORM.
os.environ.update(
    GSK_RENDERER="cairo", NO_AT_BRIDGE="1", GTK_A11Y="none", GSETTINGS_BACKEND="memory", GIO_USE_VFS="local",
    DBUS_SESSION_BUS_ADDRESS="disabled:")

TOOLKIT, ROLE, MODE = sys.argv[1:4]
REST = sys.argv[4:]
SIDE = 250


def report(*words):
    print(*words, flush=True)


def pattern(count):
    return bytes((index * 31 + (index >> 8)) & 0xFF for index in range(count))


def text(count):
    return "".join(chr(0x61 + index % 26) if index % 40 else "é" for index in range(count))


def count():
    return int(REST[0]) if REST else 0


# The content is created before the drag, since toolkits wait for it while the pointer moves.
VALUE = None
if ROLE == "source" and MODE != "files":
    VALUE = text(count()) if MODE == "text" else pattern(count())


def check_text(value):
    report("text", len(value), "ok" if value == text(len(value)) else "bad")


def check_bytes(value):
    report("bytes", len(value), "ok" if value == pattern(len(value)) else "bad")


def end(action, actions):
    report("end", {actions.COPY: "copy", actions.MOVE: "move"}.get(action, "other"))


def gtk3():
    import gi
    gi.require_version("Gtk", "3.0")
    gi.require_version("Gdk", "3.0")
    from gi.repository import Gdk, GLib, Gtk

    window = Gtk.Window(type=Gtk.WindowType.TOPLEVEL)
    window.set_default_size(SIDE, SIDE)
    window.move(0, 0)
    # A Wayland compositor shows the window some time after this event.
    window.connect("map-event", lambda *_: GLib.timeout_add(300, lambda: report("ready")) and False)
    if MODE == "picture":
        field = Gtk.TextView()
        field.drag_dest_set_target_list(None)
        field.drag_dest_add_image_targets()

        def inserted(widget, context, x, y, selection, info, time):
            widget.stop_emission_by_name("drag-data-received")
            picture, buffer = selection.get_pixbuf(), widget.get_buffer()
            if picture:
                buffer.insert_pixbuf(buffer.get_start_iter(), picture)
            shown = buffer.get_start_iter().get_pixbuf()
            Gtk.drag_finish(context, shown is not None, False, time)
            report("picture", shown.get_width() if shown else 0, shown.get_height() if shown else 0)

        field.connect("drag-data-received", inserted)
        window.add(field)
        window.show_all()
        return Gtk.main()
    names = {"text": "UTF8_STRING", "bytes": "image/png", "files": "text/uri-list"}
    entries = [Gtk.TargetEntry.new(names[MODE], 0, 0)]
    if ROLE == "target":
        window.drag_dest_set(Gtk.DestDefaults.ALL, entries, Gdk.DragAction.COPY | Gdk.DragAction.MOVE)

        def received(widget, context, x, y, selection, info, time):
            if MODE == "text":
                check_text(selection.get_text() or "")
            elif MODE == "bytes":
                check_bytes(selection.get_data())
            else:
                for address in selection.get_uris():
                    report("file", GLib.filename_from_uri(address)[0])

        window.connect("drag-data-received", received)
    else:
        window.add_events(Gdk.EventMask.BUTTON_PRESS_MASK | Gdk.EventMask.BUTTON1_MOTION_MASK)
        window.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, entries, Gdk.DragAction.COPY | Gdk.DragAction.MOVE)

        def requested(widget, context, selection, info, time):
            if MODE == "text":
                selection.set_text(VALUE, -1)
            elif MODE == "bytes":
                selection.set(selection.get_target(), 8, VALUE)
            else:
                selection.set_uris([GLib.filename_to_uri(path, None) for path in REST])

        window.connect("drag-data-get", requested)
        window.connect("drag-end", lambda widget, context: end(context.get_selected_action(), Gdk.DragAction))
    window.show_all()
    Gtk.main()


def gtk4():
    import gi
    gi.require_version("Gtk", "4.0")
    gi.require_version("Gdk", "4.0")
    from gi.repository import Gdk, Gio, GLib, GObject, Gtk

    Gtk.init()
    window = Gtk.Window()
    window.set_default_size(SIDE, SIDE)
    area = Gtk.Box()
    window.set_child(area)
    if ROLE == "target":
        kind = Gdk.FileList if MODE == "files" else GObject.TYPE_STRING
        target = Gtk.DropTarget.new(kind, Gdk.DragAction.COPY | Gdk.DragAction.MOVE)

        def dropped(target, value, x, y):
            if MODE == "text":
                check_text(value)
            else:
                for file in value.get_files():
                    report("file", file.get_path())
            return True

        target.connect("drop", dropped)
        area.add_controller(target)
    else:
        source = Gtk.DragSource()
        source.set_actions(Gdk.DragAction.COPY)

        def prepared(source, x, y):
            if MODE == "text":
                value = GObject.Value(GObject.TYPE_STRING, VALUE)
                return Gdk.ContentProvider.new_for_value(value)
            if MODE == "bytes":
                return Gdk.ContentProvider.new_for_bytes("image/png", GLib.Bytes.new(VALUE))
            addresses = "".join(GLib.filename_to_uri(path, None) + "\r\n" for path in REST)
            return Gdk.ContentProvider.new_for_bytes("text/uri-list", GLib.Bytes.new(addresses.encode()))

        # The default icon is a label with the complete text.
        source.set_icon(Gdk.Paintable.new_empty(1, 1), 0, 0)
        source.connect("prepare", prepared)
        source.connect("drag-end", lambda source, drag, deletes: end(drag.get_selected_action(), Gdk.DragAction))
        area.add_controller(source)
    area.set_hexpand(True)
    area.set_vexpand(True)
    window.present()
    GLib.timeout_add(300, lambda: report("ready"))
    GLib.MainLoop().run()


def qt5():
    from PyQt5 import QtCore, QtGui, QtWidgets

    application = QtWidgets.QApplication(sys.argv[:1])

    class Window(QtWidgets.QWidget):
        def dragEnterEvent(self, event):
            event.acceptProposedAction()

        def dragMoveEvent(self, event):
            event.acceptProposedAction()

        def dropEvent(self, event):
            content = event.mimeData()
            if MODE == "text":
                check_text(content.text())
            elif MODE == "bytes":
                check_bytes(bytes(content.data("image/png")))
            else:
                for address in content.urls():
                    report("file", address.toLocalFile())
            event.acceptProposedAction()

        def mouseMoveEvent(self, event):
            if ROLE != "source":
                return
            content = QtCore.QMimeData()
            if MODE == "text":
                content.setText(VALUE)
            elif MODE == "bytes":
                content.setData("image/png", VALUE)
            else:
                content.setUrls([QtCore.QUrl.fromLocalFile(path) for path in REST])
            drag = QtGui.QDrag(self)
            drag.setMimeData(content)
            report("end", "copy" if drag.exec_(QtCore.Qt.CopyAction) == QtCore.Qt.CopyAction else "other")

    window = Window()
    window.setAcceptDrops(ROLE == "target")
    window.setGeometry(0, 0, SIDE, SIDE)
    window.show()
    QtCore.QTimer.singleShot(300, lambda: report("ready"))
    application.exec_()


{"gtk3": gtk3, "gtk4": gtk4, "qt5": qt5}[TOOLKIT]()
