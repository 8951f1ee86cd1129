"""Support for the callbacks of scikit-learn, which exist since version 1.9."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """A stand-in without ``set_callbacks``, for versions of scikit-learn without callbacks."""

    def with_callbacks(method: Callable[..., Any]) -> Callable[..., Any]:
        """Return the method unchanged."""
        return method


__all__ = ["CallbackSupportMixin", "FitTasks", "with_callbacks"]


class FitTasks:
    """The tasks of a fit, as scikit-learn's callbacks see them.

    The fit is a task whose subtasks are the improvements of the search: each of them begins when
    the previous one has ended. Their number is not known in advance.

    Parameters
    ----------
    estimator : estimator
        The estimator that is being fitted.
    X, y
        The arguments of its `fit`.
    **metadata
        Its further arguments.
    """

    def __init__(self, estimator: Any, X: Any, y: Any, **metadata: Any) -> None:
        self._root: Any = None
        self._task: Any = None
        # Without callbacks there are no contexts, which would cost time at every improvement.
        if not getattr(estimator, "_skl_callbacks", None) and not hasattr(
            estimator, "_parent_callback_ctx"
        ):
            return
        given = {name: value for name, value in metadata.items() if value is not None}
        self._context = {"estimator": estimator, "X": X, "y": y, "metadata": given}
        self._root = estimator._init_callback_context(max_subtasks=None)
        self._root.call_on_fit_task_begin(**self._context)

    @property
    def wanted(self) -> bool:
        """Whether there are callbacks to call."""
        return self._root is not None

    def begin(self) -> None:
        """Begin the search for the next improvement."""
        if self.wanted:
            self._task = self._root.subcontext(task_name="improvement")
            self._task.call_on_fit_task_begin(**self._context)

    def end(self, attributes: Callable[[], dict[str, Any]]) -> bool:
        """End the search for an improvement, and return whether a callback wants to stop.

        Parameters
        ----------
        attributes : callable
            Returns the current fitted attributes; called only if a callback asks for them.

        Returns
        -------
        bool
            True if the search must stop.
        """
        if self._task is None:
            return False
        task, self._task = self._task, None
        return bool(
            task.call_on_fit_task_end(**self._context, reconstruction_attributes=attributes)
        )

    def finish(self, attributes: Callable[[], dict[str, Any]]) -> None:
        """End the fit, and the task of an improvement that was not found.

        Parameters
        ----------
        attributes : callable
            As in `end`.
        """
        if self.wanted:
            self.end(attributes)
            self._root.call_on_fit_task_end(**self._context, reconstruction_attributes=attributes)
