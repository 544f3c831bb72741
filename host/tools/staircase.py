"""Draws the ladder as a staircase, for host/tools/table.py: a step for each rung, as high as its TFLOP/s, and two lines
for cuBLAS and for what the GPU could do at most. As SVG, in a light and a dark theme; README.md shows the reader's."""

import html

WIDTH, HEIGHT = 960, 460
LEFT, RIGHT, TOP, BOTTOM = 46, 8, 40, 74  # margins around the steps

THEMES = {
    "light": {
        "text": "#1f2328",
        "muted": "#59636e",
        "grid": "#d1d9e0",
        "step": "#0969da",
        "faster": "#1a7f37",
        "baseline": "#bc4c00",
    },
    "dark": {
        "text": "#f0f6fc",
        "muted": "#9198a1",
        "grid": "#3d444d",
        "step": "#1f6feb",
        "faster": "#238636",
        "baseline": "#f0883e",
    },
}


def text(x, y, string, fill, anchor="middle", size=13, weight="normal"):
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" fill="{fill}" text-anchor="{anchor}" font-size="{size}" '
        f'font-weight="{weight}">{html.escape(string)}</text>'
    )


def line(y, colour, width=1, dashes=""):
    dashes = f' stroke-dasharray="{dashes}"' if dashes else ""
    return f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{colour}" stroke-width="{width}"{dashes}/>'


def draw(theme, title, steps, baseline, limit):
    """steps: (stem, TFLOP/s) from left to right; baseline and limit: (what it is, TFLOP/s)."""
    colours = THEMES[theme]
    top = 10 * (max(baseline[1], limit[1], *(tflops for _, tflops in steps)) // 10 + 1)
    scale = (HEIGHT - TOP - BOTTOM) / top
    floor, width = HEIGHT - BOTTOM, (WIDTH - LEFT - RIGHT) / len(steps)

    def y(tflops):
        return floor - scale * tflops

    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}" '
        "role=\"img\" font-family=\"system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif\">",
        f"<title>{html.escape(title)}</title>",
        text(LEFT, 18, title, colours["text"], "start", 15, "bold"),
    ]
    for tflops in range(0, int(top), 10):
        lines += [
            line(y(tflops), colours["grid"]),
            text(LEFT - 8, y(tflops) + 4, str(tflops), colours["muted"], "end", 12),
        ]
    for i, (stem, tflops) in enumerate(steps):
        left, height = LEFT + i * width, scale * tflops
        fill = colours["faster" if tflops > baseline[1] else "step"]
        box = f'x="{left + 1:.1f}" y="{y(tflops):.1f}" width="{width - 2:.1f}" height="{height:.1f}"'
        lines.append(f'<rect {box} fill="{fill}"/>')
        middle = left + width / 2
        # Above the step where it is too low for a number, or where the line of the baseline would cross the number.
        inside = height >= 20 and tflops <= baseline[1]
        lines.append(
            text(middle, y(tflops) + 16, f"{tflops:.1f}", "#ffffff", weight="bold")
            if inside
            else text(middle, y(tflops) - 5, f"{tflops:.1f}", colours["text"], weight="bold")
        )
        number, *words = stem.split("_")
        lines.append(text(middle, floor + 18, number, colours["text"], weight="bold"))
        lines += [text(middle, floor + 34 + 14 * j, word, colours["muted"], size=12) for j, word in enumerate(words)]
    for (what, tflops), colour, dashes in ((baseline, colours["baseline"], ""), (limit, colours["muted"], "6 4")):
        lines += [
            line(y(tflops), colour, 2, dashes),
            text(LEFT + 6, y(tflops) - 6, f"{what}: {tflops:.1f}", colour, "start", 13, "bold"),
        ]
    return "\n".join([*lines, "</svg>"]) + "\n"
