# SPDX-License-Identifier: BSD-3-Clause
"""Reads an OTF2 archive for the checks: definitions, properties, markers, and the events as one stream.

Built on python3-otf2 alone, so that it shares no code with what wrote the archive.
"""
import os

import _otf2
import otf2

PREFIX = "OMPTAPE::"


class Archive:
    """One archive, open for reading. Use in a with statement."""

    def __init__(self, path):
        self.path = path
        self._reader = otf2.reader.Reader(path, 4096)
        self.definitions = self._reader.definitions
        handle = self._reader.handle
        self.properties = {
            name: _otf2.Reader_GetProperty(handle, name) for name in _otf2.Reader_GetPropertyNames(handle)
        }
        self.marker_definitions = {}
        self.markers = []
        if os.path.exists(path.removesuffix(".otf2") + ".marker"):
            self._read_markers(handle)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._reader.close()

    def value(self, key, default=None):
        """The value of an omptape property, by its key without the prefix."""
        return self.properties.get(PREFIX + key, default)

    @property
    def locations(self):
        return list(self.definitions.locations)

    def events(self):
        """All events as (location, event), in the order of their times."""
        return iter(self._reader.events)

    def _read_markers(self, handle):
        callbacks = _otf2.MarkerReaderCallbacks_New()

        def on_definition(_, ref, group, category, severity):
            self.marker_definitions[ref] = (group, category, severity)

        def on_marker(_, time, duration, ref, scope, scope_ref, text):
            self.markers.append((time, duration, ref, scope, scope_ref, text))

        _otf2.MarkerReaderCallbacks_SetDefMarkerCallback(callbacks, on_definition)
        _otf2.MarkerReaderCallbacks_SetMarkerCallback(callbacks, on_marker)
        reader = _otf2.Reader_GetMarkerReader(handle)
        _otf2.Reader_RegisterMarkerCallbacks(handle, reader, callbacks, None)
        _otf2.MarkerReaderCallbacks_Delete(callbacks)
        _otf2.Reader_ReadAllMarkers(handle, reader)
        _otf2.Reader_CloseMarkerReader(handle, reader)
