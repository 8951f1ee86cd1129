"""The course of a search as a picture in SVG: the objective and the lower bound over time."""

from __future__ import annotations

from math import ceil, floor, log10

import numpy as np
from numpy.typing import NDArray

# Sizes in pixels: the picture, and the space around the plot.
WIDTH, HEIGHT = 440.0, 270.0
LEFT, RIGHT, TOP, BOTTOM = 58.0, 14.0, 12.0, 46.0
# A search that ended at its first improvement is drawn until that time, multiplied by `AFTER`. The
# time axis ends where the lines do, but not before the first improvement, multiplied by `SPAN`.
AFTER, SPAN = 1.25, 4.0
# The first moment that the axis of time can show, in seconds.
FIRST = 1e-6
# The largest number of numbers along an axis.
MOST_TICKS = 6


def course_svg(
    seconds: NDArray[np.float64],
    objective: NDArray[np.float64],
    lower_bound: NDArray[np.float64],
    end: float,
) -> str:
    """Return the course of a search as a picture.

    Parameters
    ----------
    seconds, objective, lower_bound : ndarray of float64, shape (n_improvements,)
        As in the trace of a search.
    end : float
        Time at which the search ended.

    Returns
    -------
    str
        An ``<svg>`` element. Its lines have the classes ``objective`` and ``bound``, the area
        between them ``between``, and the axes ``axis``; the page gives them colours.

    Examples
    --------
    >>> import numpy as np
    >>> from beamtree.export._course import course_svg
    >>> picture = course_svg(np.array([0.1, 2.0]), np.array([5.0, 3.0]), np.array([0.0, 3.0]), 2.5)
    >>> picture.count('class="objective"'), picture.count('class="bound"')
    (1, 1)
    """
    seconds = np.maximum(seconds, FIRST)
    times = np.append(seconds, max(end, seconds[-1], seconds[0] * AFTER))
    low, high = log10(times[0]), log10(max(times[-1], times[0] * SPAN))
    top = float(max(objective.max(), lower_bound.max())) * 1.05 or 1.0
    x = LEFT + (np.log10(times) - low) / (high - low) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - max(float(value), 0.0) / top * (HEIGHT - TOP - BOTTOM)

    best = _steps(x, [y(value) for value in objective])
    bound = _steps(x, [y(value) for value in lower_bound])
    area = f"M{best}L{'L'.join(reversed(bound.split('L')))}Z"
    parts = [f'<path class="between" d="{area}"/>']
    across, base = WIDTH - LEFT - RIGHT, HEIGHT - BOTTOM
    for value in _whole_ticks(top):
        at = y(value)
        parts.append(f'<path class="axis" d="M{LEFT} {at:.1f}h{across}"/>')
        parts.append(f'<text x="{LEFT - 7}" y="{at + 5:.1f}" text-anchor="end">{value:.6g}</text>')
    for second in _time_ticks(low, high):
        at = LEFT + (log10(second) - low) / (high - low) * across
        parts.append(f'<path class="axis" d="M{at:.1f} {base}v5"/>')
        parts.append(f'<text x="{at:.1f}" y="{base + 21}" text-anchor="middle">{second:g}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">seconds</text>')
    parts += [f'<path class="bound" d="M{bound}"/>', f'<path class="objective" d="M{best}"/>']
    label = (
        f"After {times[-1]:.3g} seconds the objective is {objective[-1]:.10g} and the lower "
        f"bound {lower_bound[-1]:.10g}."
    )
    return (
        f'<svg viewBox="0 0 {WIDTH:g} {HEIGHT:g}" role="img" aria-label="{label}">'
        f"{''.join(parts)}</svg>"
    )


def _steps(x: NDArray[np.float64], heights: list[float]) -> str:
    """Return the corners of a line that stays at each height until the next moment."""
    corners = []
    for k, height in enumerate(heights):
        corners += [f"{x[k]:.1f} {height:.1f}", f"{x[k + 1]:.1f} {height:.1f}"]
    return "L".join(corners)


def _whole_ticks(top: float) -> list[float]:
    """Return round numbers from 0 to `top`."""
    power = 10.0 ** floor(log10(top))
    steps = [factor * power for factor in (0.1, 0.2, 0.5, 1.0, 2.0)]
    step = next(step for step in steps if top / step < MOST_TICKS)
    return [k * step for k in range(floor(top / step) + 1)]


def _time_ticks(low: float, high: float) -> list[float]:
    """Return round moments between two powers of ten, which are given by their exponents."""
    exponents = range(floor(low), ceil(high) + 1)
    for factors in ((1, 2, 5), (1,)):
        ticks = [factor * 10.0**k for k in exponents for factor in factors]
        ticks = [tick for tick in ticks if low <= log10(tick) <= high]
        if len(ticks) <= MOST_TICKS:
            return ticks
    return ticks[:: ceil(len(ticks) / MOST_TICKS)]
