"""The progress of a search as a picture."""

from __future__ import annotations

from math import inf
from textwrap import wrap
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from beamtree._util.optional import import_optional
from beamtree.export._fitted import EstimatorLike, end_of_search, fitted_estimator

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# A search that ended at its first improvement is drawn until that time, multiplied by this factor.
AFTER = 1.25
# The largest number of characters in a line of the title.
ACROSS = 64


class AnytimeDisplay:
    """Plot of the objective of the best tree and of the lower bound over the time of a search.

    It follows the displays of scikit-learn: create it with `from_estimator`, and draw it again with
    `plot`. The optimum lies between the two lines.

    Parameters
    ----------
    seconds : array-like of shape (n_improvements,)
        Time of each improvement.
    objective, lower_bound : array-like of shape (n_improvements,)
        Objective of the best tree, and lower bound, after each improvement.
    proof : str, optional
        What is proved about the tree, which becomes the title.
    end : float, optional
        Time at which the search ended, where both lines end; by default that of the last
        improvement.

    Attributes
    ----------
    ax_ : matplotlib.axes.Axes
        The axes with the plot.
    figure_ : matplotlib.figure.Figure
        The figure that contains the axes.
    line_ : matplotlib.lines.Line2D
        The line of the objective.
    bound_line_ : matplotlib.lines.Line2D
        The line of the lower bound.

    Examples
    --------
    >>> from beamtree import AnytimeDisplay, OptimalTreeClassifier
    >>> from beamtree.datasets import monks
    >>> X, y, _, _ = monks(1)
    >>> clf = OptimalTreeClassifier(max_depth=3).fit(X, y)
    >>> display = AnytimeDisplay.from_estimator(clf)
    >>> display.ax_.get_title()
    'Proved optimal: 48 errors'
    """

    def __init__(
        self,
        *,
        seconds: ArrayLike,
        objective: ArrayLike,
        lower_bound: ArrayLike,
        proof: str = "",
        end: float | None = None,
    ) -> None:
        self.seconds = np.asarray(seconds, dtype=np.float64)
        self.objective = np.asarray(objective, dtype=np.float64)
        self.lower_bound = np.asarray(lower_bound, dtype=np.float64)
        self.proof = proof
        sizes = {self.seconds.shape, self.objective.shape, self.lower_bound.shape}
        if len(sizes) != 1 or self.seconds.ndim != 1 or self.seconds.size == 0:
            msg = (
                "seconds, objective and lower_bound must have one entry per improvement, and at "
                f"least one, got the shapes {self.seconds.shape}, {self.objective.shape} and "
                f"{self.lower_bound.shape}"
            )
            raise ValueError(msg)
        last = float(self.seconds[-1])
        self.end = last if end is None else float(end)
        if not last <= self.end < inf:
            msg = (
                f"end must be a time of at least that of the last improvement, {last:g}, got {end}"
            )
            raise ValueError(msg)

    @classmethod
    def from_estimator(
        cls, estimator: EstimatorLike, *, ax: Axes | None = None, **kwargs: Any
    ) -> Self:
        """Draw the search of a fitted classifier.

        Parameters
        ----------
        estimator : OptimalTreeClassifier or OptimalTreeClassifierCV
            The fitted classifier.
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs : dict
            Passed to `plot`.

        Returns
        -------
        AnytimeDisplay
            The display, with the plot.
        """
        fitted = fitted_estimator(estimator)
        display = cls(
            seconds=fitted.trace_["seconds"],
            objective=fitted.trace_["objective"],
            lower_bound=fitted.trace_["lower_bound"],
            proof=fitted.proof_,
            end=end_of_search(fitted),
        )
        return display.plot(ax=ax, **kwargs)

    def plot(self, ax: Axes | None = None, **kwargs: Any) -> Self:
        """Draw the plot.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default a new figure.
        **kwargs : dict
            Passed to ``Axes.step`` for both lines.

        Returns
        -------
        AnytimeDisplay
            The display itself.
        """
        pyplot = import_optional("matplotlib.pyplot", "AnytimeDisplay", "plot")
        if ax is None:
            _, ax = pyplot.subplots()
        seconds, objective, lower = (
            np.append(self.seconds, max(self.end, self.seconds[0] * AFTER)),
            np.append(self.objective, self.objective[-1]),
            np.append(self.lower_bound, self.lower_bound[-1]),
        )
        settings: dict[str, Any] = {"where": "post", "color": "C0", "label": "best tree"} | kwargs
        self.line_ = ax.step(seconds, objective, **settings)[0]
        bound: dict[str, Any] = settings | {"linestyle": "--", "label": "lower bound"}
        self.bound_line_ = ax.step(seconds, lower, **bound)[0]
        shade: dict[str, Any] = {"color": self.line_.get_color(), "alpha": 0.15, "linewidth": 0.0}
        ax.fill_between(seconds, lower, objective, step="post", **shade)
        ticker = import_optional("matplotlib.ticker", "AnytimeDisplay", "plot")
        ax.set_xscale("log")
        ax.xaxis.set_major_locator(ticker.LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.xaxis.set_major_formatter("{x:g}")
        ax.xaxis.set_minor_formatter(ticker.NullFormatter())
        ax.set(xlabel="seconds", ylabel="objective")
        ax.set_title("\n".join(wrap(self.proof, ACROSS)))
        ax.set_ylim(bottom=0.0)
        ax.legend()
        self.ax_ = ax
        self.figure_ = ax.figure
        return self
