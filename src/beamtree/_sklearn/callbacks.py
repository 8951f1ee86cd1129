"""scikit-learn's callbacks, in the versions that have them (1.9 and later)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands in where scikit-learn has no callbacks: there is no ``set_callbacks``."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method as it is."""
        return method


__all__ = ["CallbackSupportMixin", "FitTasks", "with_callbacks"]


class FitTasks:
    """The tasks of a fit, of which scikit-learn's callbacks are told.

    The fit is a task whose subtasks are the improvements of the search: each begins where the last
    has ended. How many there will be is not known before.

    Parameters
    ----------
    estimator : estimator
        The estimator that is fitted.
    X, y, sample_weight
        What its `fit` was given.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        self._root: Any = None
        self._task: Any = None
        # No callbacks, no contexts: they would take time at every improvement.
        if not getattr(estimator, "_skl_callbacks", None) and not hasattr(
            estimator, "_parent_callback_ctx"
        ):
            return
        metadata = {} if sample_weight is None else {"sample_weight": sample_weight}
        self._told = {"estimator": estimator, "X": X, "y": y, "metadata": metadata}
        self._root = estimator._init_callback_context(max_subtasks=None)
        self._root.call_on_fit_task_begin(**self._told)

    @property
    def wanted(self) -> bool:
        """Whether anybody listens."""
        return self._root is not None

    def begin(self) -> None:
        """Begin the search for the next improvement."""
        if self.wanted:
            self._task = self._root.subcontext(task_name="improvement")
            self._task.call_on_fit_task_begin(**self._told)

    def end(self, attributes: Callable[[], dict[str, Any]]) -> bool:
        """End it, and tell whether a callback wants the search to stop.

        Parameters
        ----------
        attributes : callable
            Gives the fitted attributes as they are now, if a callback asks for them.

        Returns
        -------
        bool
            True to stop.
        """
        if self._task is None:
            return False
        task, self._task = self._task, None
        return bool(task.call_on_fit_task_end(**self._told, reconstruction_attributes=attributes))

    def finish(self, attributes: Callable[[], dict[str, Any]]) -> None:
        """End the fit, and with it an improvement that did not come.

        Parameters
        ----------
        attributes : callable
            As in `end`.
        """
        if self.wanted:
            self.end(attributes)
            self._root.call_on_fit_task_end(**self._told, reconstruction_attributes=attributes)
