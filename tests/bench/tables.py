# SPDX-License-Identifier: BSD-3-Clause
"""Statistics over rounds, and Markdown tables of them."""
import statistics


def spread(values):
    """Median, first and third quartile."""
    if len(values) < 2:
        return values[0], values[0], values[0]
    first, _, third = statistics.quantiles(values, n=4, method="inclusive")
    return statistics.median(values), first, third


def differences(values, base):
    """Paired by round: a disturbance that lasts longer than a round hits both alike."""
    return [value - reference for value, reference in zip(values, base)]


def ratios(values, base):
    return [value / reference for value, reference in zip(values, base)]


def cell(values, digits=1):
    """"10.3 (9.8..11.0)": the median and the quartiles."""
    if not values:
        return "-"
    middle, first, third = spread(values)
    if len(values) < 2:
        return f"{middle:.{digits}f}"
    return f"{middle:.{digits}f} ({first:.{digits}f}..{third:.{digits}f})"


def table(header, rows):
    """Left-aligned first column, the others right-aligned."""
    lines = ["| " + " | ".join(header) + " |", "|---|" + "---:|" * (len(header) - 1)]
    lines += ["| " + " | ".join(str(part) for part in row) + " |" for row in rows]
    return "\n".join(lines)
