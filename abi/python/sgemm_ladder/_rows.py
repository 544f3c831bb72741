"""What compare found: a list of dictionaries, as a table, a DataFrame of pandas, or a picture of matplotlib."""

import html

COLUMNS = ("plugin", "device", "class", "status", "max error", "hot", "TFLOP/s", "ratio", "95 %")
EMULATED = "emulator"


class Rows(list):
    """Keys of each row: plugin, device, shape, status ("ok" if it is right), class (the precision as it was measured),
    max_error, rho, ms (the median of calls back to back), tflops, baseline (the vendor's library), ratio to it (above 1
    the row is faster), ratio_low and ratio_high (its interval), message. None is what was not measured."""

    def shapes(self):
        return list(dict.fromkeys(row["shape"] for row in self))

    def __str__(self):
        lines = []
        for shape in self.shapes():
            cells = [(shape,) + COLUMNS[1:], *(_cells(row) for row in self if row["shape"] == shape)]
            widths = [max(len(cell) for cell in column) for column in zip(*cells)]
            lines += [""] if lines else []
            for row in cells:
                aligned = [cell.ljust(width) if place < 4 else cell.rjust(width)
                           for place, (cell, width) in enumerate(zip(row, widths))]
                lines.append("  ".join(aligned).rstrip())
            told = [row for row in self if row["shape"] == shape and row["message"]]
            lines += [f"  {row['plugin']}: {row['message']}" for row in told]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self):
        text = "<table><tr>" + "".join(f"<th>{name}</th>" for name in ("shape",) + COLUMNS) + "</tr>"
        for row in self:
            cells = (row["shape"],) + _cells(row)
            text += f"<tr title=\"{html.escape(row['message'] or '')}\">"
            text += "".join(f"<td>{html.escape(cell)}</td>" for cell in cells) + "</tr>"
        return text + "</table>"

    def to_pandas(self):
        """A DataFrame with a line a row. Needs pandas."""
        import pandas

        return pandas.DataFrame(list(self))

    def staircase(self, shape=None, axes=None):
        """Draws the speeds at a shape, the first one by default, a step a row, and returns matplotlib's axes. Rows
        without a speed, as the emulator's, are left out. Needs matplotlib."""
        shape = shape or next(iter(self.shapes()), None)
        steps = [row for row in self if row["shape"] == shape and row["tflops"]]
        if not steps:
            raise ValueError(f"no row at {shape} has a speed: emulated and wrong ones have none")
        if axes is None:
            from matplotlib import pyplot

            axes = pyplot.subplots(figsize=(1.5 + 0.9 * len(steps), 3), layout="constrained")[1]
        speeds = [row["tflops"] for row in steps]
        axes.stairs(speeds, [place - 0.5 for place in range(len(steps) + 1)], fill=True, alpha=0.4)
        for place, speed in enumerate(speeds):
            axes.text(place, speed, f"{speed:.3g}", ha="center", va="bottom")
        raced = next((row for row in steps if row["ratio"]), None)
        if raced:
            speed = raced["tflops"] / raced["ratio"]
            axes.axhline(speed, linestyle="--", color="grey")
            axes.text(len(steps) - 0.5, speed, raced["baseline"], ha="right", va="bottom", color="grey")
        axes.set_xticks(range(len(steps)), [row["plugin"] for row in steps], rotation=30, ha="right")
        axes.set_ylabel("TFLOP/s")
        axes.set_title(shape)
        axes.margins(y=0.15)
        return axes


def _time(milliseconds):
    for unit, factor in (("s", 1e-3), ("ms", 1), ("us", 1e3)):
        if milliseconds * factor >= 1:
            break
    return f"{float(f'{milliseconds * factor:.3g}'):g} {unit}"


def _cells(row):
    def cell(key, form):
        return "" if row[key] is None else form(row[key])

    interval = "" if row["ratio_low"] is None else f"[{row['ratio_low']:.3f}, {row['ratio_high']:.3f}]"
    return (row["plugin"], row["device"], row["class"] or "", row["status"], cell("max_error", "{:.2e}".format),
            cell("ms", _time), cell("tflops", "{:.3g}".format), cell("ratio", "{:.3f}x".format), interval)
