#!/usr/bin/env python3
"""A program with GTK 4 that exchanges files through the clipboard and the portal for file transfers, for tests.

    portal_peer.py read          print each file in the clipboard
    portal_peer.py own PATH...   own the clipboard until the program is terminated

Each line of output is one event:

    ready          the toolkit has found the portal, and the clipboard is owned
    file PATH      a file in the clipboard
    error REASON   the clipboard cannot be read
    end            all files are printed
"""

import os
import sys

os.environ.update(
    GDK_BACKEND="x11", GSK_RENDERER="cairo", NO_AT_BRIDGE="1", GTK_A11Y="none", GSETTINGS_BACKEND="memory",
    GIO_USE_VFS="local", GTK_USE_PORTAL="0")

import gi
gi.require_version("Gdk", "4.0")
gi.require_version("Gtk", "4.0")
from gi.repository import Gdk, Gio, GLib, GObject, Gtk

PORTAL = "application/vnd.portal.filetransfer"


def report(*words):
    print(*words, flush=True)


def has_portal():
    own = Gdk.ContentFormats.new_for_gtype(Gdk.FileList)
    return own.union_deserialize_mime_types().contain_mime_type(PORTAL)


def received(clipboard, result):
    try:
        for file in clipboard.read_value_finish(result).get_files():
            report("file", file.get_path())
    except GLib.Error as error:
        report("error", error.message)
    report("end")


def begin():
    if not has_portal():
        return GLib.SOURCE_CONTINUE
    clipboard = Gdk.Display.get_default().get_clipboard()
    if sys.argv[1] == "own":
        files = Gdk.FileList.new_from_list([Gio.File.new_for_path(path) for path in sys.argv[2:]])
        clipboard.set_content(Gdk.ContentProvider.new_for_value(GObject.Value(Gdk.FileList, files)))
    else:
        # The toolkit first requests the list of types.
        GLib.timeout_add(300, lambda: clipboard.read_value_async(Gdk.FileList, 0, None, received))
    report("ready")
    return GLib.SOURCE_REMOVE


Gtk.init()
GLib.timeout_add(20, begin)
GLib.MainLoop().run()
