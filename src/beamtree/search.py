"""The search as a loop of the user's own."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, Self
from weakref import proxy

from numpy.typing import NDArray

from beamtree._engine.limits import seconds_of
from beamtree._engine.memory import MemoryAllowance
from beamtree._engine.progress import live_line
from beamtree._engine.strategy import HeuristicLike, RuleLike, ScheduleLike
from beamtree._resume.checkpoint_file import (
    PATH,
    PATH_OR_NONE,
    check_place,
    read_checkpoint,
    write_checkpoint,
)
from beamtree._resume.checkpoint_header import (
    added_of,
    check_same_data,
    header_of,
    preparation_of,
    settings_of,
)
from beamtree._resume.initial_tree import added_tests
from beamtree._resume.parameters import (
    CONTROL_PARAMETERS,
    PROBLEM_PARAMETERS,
    Callback,
    check_parameters,
    listeners_of,
    make_engine,
)
from beamtree._resume.saver import Saver
from beamtree._table.columns import Columns
from beamtree._table.table import open_table
from beamtree._table.training_rows import TrainingData, checked_labels, training_data
from beamtree._util.validation import POSITIVE, SECONDS_OR_NONE, or_none
from beamtree.alternatives import Alternatives
from beamtree.cancel import CancelToken
from beamtree.result import Incumbent, Result
from beamtree.search_space import SearchSpace

__all__ = ["Search"]

# What a search that is loaded can be told anew.
SAVING = {"checkpoint": PATH_OR_NONE, "checkpoint_every": or_none(POSITIVE)}
LOAD_ALLOWED = {name: CONTROL_PARAMETERS[name] for name in CONTROL_PARAMETERS if name != "init"}
LOAD_ALLOWED |= SAVING
ALLOWED = PROBLEM_PARAMETERS | CONTROL_PARAMETERS | SAVING


class Search:
    """A search for the best tree that you drive yourself.

    Iterate over it to get every improvement of the tree or of the lower bound; leave the loop when
    you like, and iterate again to go on where it stopped. Only the time inside the search counts.
    `OptimalTreeClassifier` runs the same search to its end.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
        The table, as in `OptimalTreeClassifier.fit`.
    y : array-like of shape (n_rows,)
        Labels: numbers, strings or booleans.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the rows, at least 0 and not all 0; None weighs all alike.
    max_depth, min_samples_leaf, leaf_penalty, class_weight, cost_matrix
        As in `OptimalTreeClassifier`.
    min_weight_fraction_leaf, max_thresholds
        As in `OptimalTreeClassifier`.
    rule, schedule, heuristic, exact_levels
        As in `OptimalTreeClassifier`.
    gap_limit, node_limit, memory_limit, init, cancel, n_jobs
        As in `OptimalTreeClassifier`.
    callback, verbose
        As in `OptimalTreeClassifier`; heard and shown by `run`.
    on_interrupt : {"keep", "raise"}, default="keep"
        What follows Ctrl-C in a step or a run, when the search has stopped: nothing but the status
        ``"interrupted"``, or a KeyboardInterrupt.
    checkpoint : path or None, default=None
        File in which the search is saved while it runs, and when a run or a loop over the search
        ends. A file that is there is replaced: `load` goes on from it. If saving fails while it
        runs, a warning says so, once, and it goes on; at the end of a run it raises, and `result`
        has the tree.
    checkpoint_every : float or None, default=60.0
        Seconds from one save to the next, longer if saving itself takes longer; None saves only
        at the end. Saving is not counted as time of the search.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels, sorted: what the columns of the trees' values stand for.
    columns : Columns
        The columns of X, whose ``encode`` makes of a table what the trees take.
    search_space : SearchSpace
        The tests that are searched.

    Examples
    --------
    >>> from beamtree import Search
    >>> from beamtree.datasets import tic_tac_toe
    >>> X, y, _, _ = tic_tac_toe()
    >>> search = Search(X, y, max_depth=4)
    >>> for incumbent in search:
    ...     if incumbent.gap < 0.5:
    ...         break
    >>> incumbent.objective < 2 * search.lower_bound
    True
    >>> result = search.run()
    >>> result.status, result.objective
    ('optimal', 137.0)
    """

    classes: NDArray[Any]
    columns: Columns
    search_space: SearchSpace

    def __init__(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        max_depth: int = 4,
        min_samples_leaf: float = 1,
        leaf_penalty: float = 0.0,
        class_weight: Mapping[Any, float] | str | None = None,
        cost_matrix: Any = None,
        min_weight_fraction_leaf: float = 0.0,
        max_thresholds: int | None = 32,
        rule: RuleLike = "auto",
        schedule: ScheduleLike = "luby",
        heuristic: HeuristicLike = "auto",
        exact_levels: int = 3,
        gap_limit: float = 0.0,
        node_limit: int | None = None,
        memory_limit: int | str | None = None,
        init: Any = None,
        callback: Callback | None = None,
        cancel: CancelToken | None = None,
        on_interrupt: str = "keep",
        n_jobs: int | None = None,
        verbose: int = 0,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: float | None = 60.0,
    ) -> None:
        begin = perf_counter()
        here = locals()
        values = {name: here[name] for name in ALLOWED}
        check_parameters(values, ALLOWED)
        if checkpoint is not None:
            check_place(Path(checkpoint))
        allowance = MemoryAllowance(memory_limit)
        table = open_table(X, "Search")
        labels = checked_labels(y, len(table), "Search")
        added = added_tests(init, table.shape[1], table.names, max_depth)
        data = training_data(table, labels, sample_weight, max_thresholds, added)
        self._set_up(data, values, allowance, begin)

    @classmethod
    def _over(cls, data: TrainingData, values: dict[str, Any]) -> Self:
        """Return a search over rows that are known, with checked parameters."""
        search = cls.__new__(cls)
        search._set_up(data, values, MemoryAllowance(values["memory_limit"]), perf_counter())
        return search

    def _set_up(
        self,
        data: TrainingData,
        values: dict[str, Any],
        allowance: MemoryAllowance,
        begin: float,
    ) -> None:
        self.classes, self.columns, self.search_space = data.classes, data.columns, data.space
        self._data, self._values = data, values
        path = values["checkpoint"]
        if path is not None:
            header_of(values, data, 0.0)  # what cannot be saved is refused now
        self._engine = make_engine(data, values, allowance=allowance, begin=begin)
        if path is not None:
            me = proxy(self)  # not a circle: memory goes when the search does
            self._engine.saver = Saver(lambda: me.save(path), values["checkpoint_every"])

    def __iter__(self) -> Iterator[Incumbent]:
        """Yield the incumbent at every improvement, from where the search stands, to its end."""
        with self._saved_at_the_end():
            while (incumbent := self.step()) is not None:
                yield incumbent

    def step(self, time_limit: float | None = None) -> Incumbent | None:
        """Search until the tree or the lower bound gets better.

        The first step gives a greedy tree, however little time it has.

        Parameters
        ----------
        time_limit : float or None, default=None
            Seconds after which the step ends without an improvement; None for no limit.

        Returns
        -------
        Incumbent or None
            The best tree; None if there was no improvement: the search is `done`, or the time was
            up, or a limit was reached, or Ctrl-C was pressed, after which another step goes on.

        Raises
        ------
        Exception
            What a rule of your own raised; `incumbent` and `result` are valid all the same.
        """
        SECONDS_OR_NONE.check("time_limit", time_limit)
        engine = self._engine
        with engine.interrupts:
            improved = engine.step(seconds_of(time_limit))
            incumbent = engine.incumbent() if improved else None
        self._raise_if_wanted()
        return incumbent

    def run(
        self,
        time_limit: float | None = None,
        *,
        node_limit: int | None = None,
        gap_limit: float | None = None,
    ) -> Result:
        """Search to the end.

        Parameters
        ----------
        time_limit : float or None, default=None
            Seconds after which the run ends; None for no limit. The search can go on afterwards.
        node_limit, gap_limit : default=None
            Other limits from now on than those that the search was made with; None leaves them.

        Returns
        -------
        Result
            The best tree and what is known of the best of all.
        """
        SECONDS_OR_NONE.check("time_limit", time_limit)
        engine = self._engine
        for name, limit in (("node_limit", node_limit), ("gap_limit", gap_limit)):
            if limit is not None:
                CONTROL_PARAMETERS[name].check(name, limit)
        if node_limit is not None:
            engine.limits.nodes = node_limit
        if gap_limit is not None:
            engine.limits.gap = gap_limit
        listeners = listeners_of(self._values["callback"], self._values["verbose"])
        with engine.interrupts:
            with self._saved_at_the_end(), live_line(engine, self._values["verbose"]):
                engine.run(seconds_of(time_limit), listeners)
            result = self.result()
        self._raise_if_wanted()
        return result

    def result(self) -> Result:
        """Return the best tree so far, and what is known of the best of all.

        Returns
        -------
        Result
            As the search stands; a step without time is taken if none was taken before.
        """
        return self._engine.result()

    def alternatives(self, time_limit: float | None = 0.1) -> Alternatives:
        """Return what is known of every test that could be the first.

        Parameters
        ----------
        time_limit : float or None, default=0.1
            Seconds for finding out more; None for as many as it takes.

        Returns
        -------
        Alternatives
            The best objective that was found below each, and its lower bound.
        """
        SECONDS_OR_NONE.check("time_limit", time_limit)
        return self._engine.alternatives(seconds_of(time_limit))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the search: all that it knows, not the data.

        A file that is there is replaced, whatever it is. The new one is written beside it, and
        takes its place and its permissions when it is complete: after a crash there is the old
        one or the new one.

        Parameters
        ----------
        path : path
            The file, in a folder that exists.

        Raises
        ------
        CheckpointError
            If the rule is one of your own, or labels are neither numbers, strings nor booleans, or
            the path is that of a folder, a device or a pipe.
        """
        PATH.check("path", path)
        engine = self._engine
        header = header_of(self._values, self._data, engine.preparation)
        write_checkpoint(Path(path), header, engine.save)

    @contextmanager
    def _saved_at_the_end(self) -> Iterator[None]:
        """Save at the end; after an exception, which goes on, or a break, a failure only warns."""
        saver = self._engine.saver
        try:
            yield
        except BaseException:
            if saver is not None:
                saver.try_to_save()
            raise
        if saver is not None:
            saver.save()

    def _raise_if_wanted(self) -> None:
        if self._engine.interrupts.pressed and self._values["on_interrupt"] == "raise":
            raise KeyboardInterrupt

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        X: Any,
        y: Any,
        sample_weight: Any = None,
        **control: Any,
    ) -> Self:
        """Go on with a search that was saved.

        Parameters
        ----------
        path : path
            The file.
        X, y, sample_weight
            The data that the search was made with.
        **control
            Parameters that do not change the problem: limits, `callback`, `cancel`,
            `on_interrupt`, `n_jobs`, `verbose`, `checkpoint`, `checkpoint_every`. They are not
            saved, and have the same defaults as in a new search.

        Returns
        -------
        Search
            The search, where it was when it was saved.

        Raises
        ------
        CheckpointError
            If the file is no checkpoint, is of another version, was cut off or altered, or if the
            data are not those of the search.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from beamtree import Search
        >>> from beamtree.datasets import tic_tac_toe
        >>> X, y, _, _ = tic_tac_toe()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "boards.checkpoint"
        ...     search = Search(X, y, max_depth=4)
        ...     first = search.run(node_limit=10)
        ...     search.save(path)
        ...     result = Search.load(path, X, y).run()
        >>> first.status, result.status, result.objective
        ('node_limit', 'optimal', 137.0)
        """
        begin = perf_counter()
        PATH.check("path", path)
        signature = inspect.signature(cls)
        defaults = {name: signature.parameters[name].default for name in LOAD_ALLOWED}
        for name in control:
            if name not in defaults:
                msg = f"Search.load() takes no parameter {name!r}; allowed are {[*defaults]}"
                raise TypeError(msg)
        control = defaults | control
        check_parameters(control, LOAD_ALLOWED)
        if control["checkpoint"] is not None:
            check_place(Path(control["checkpoint"]))
        allowance = MemoryAllowance(control["memory_limit"])
        table = open_table(X, "Search")
        labels = checked_labels(y, len(table), "Search")

        def take(header: dict[str, Any], read: Callable[[], bytes]) -> Search:
            values = settings_of(header) | control | {"init": None}
            added = added_of(header)
            data = training_data(table, labels, sample_weight, values["max_thresholds"], added)
            check_same_data(header, data)
            search = cls.__new__(cls)
            search._set_up(data, values, allowance, begin)
            search._engine.restore(read, preparation_of(header))
            return search

        search: Self = read_checkpoint(Path(path), take)
        return search

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of the problem and of the strategy, by name; of a file, if loaded."""
        return {name: self._values[name] for name in PROBLEM_PARAMETERS}

    @property
    def incumbent(self) -> Incumbent | None:
        """The best tree so far, with when and how it was found; None before the first step."""
        return self._engine.incumbent() if self._engine.started else None

    @property
    def lower_bound(self) -> float:
        """No tree has a smaller objective; 0 before the first step."""
        return self._engine.verdict()[1] if self._engine.started else 0.0

    @property
    def status(self) -> str:
        """Why the search or its last step ended, as in `Result`; ``"running"`` between steps."""
        return self._engine.verdict()[0] if self._engine.started else "running"

    @property
    def done(self) -> bool:
        """Whether the search has ended, so that no step changes anything any more.

        After a limit of nodes or of the gap it has not: with a larger one it goes on.
        """
        return self._engine.done
