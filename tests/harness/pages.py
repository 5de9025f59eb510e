# SPDX-License-Identifier: BSD-3-Clause
"""What a page of `omptape report --html` holds."""
import base64
import json
import re
import zlib


def data(text, **options):
    """The page's data, from its text."""
    packed = re.search(r'id="data">([^<]*)<', text).group(1)
    return json.loads(zlib.decompress(base64.b64decode(packed)), **options)
