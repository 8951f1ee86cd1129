"""The search as a loop that the user drives."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from time import perf_counter
from typing import Any, Self, TypeVar
from weakref import proxy

import numpy as np
from numpy.typing import NDArray

from beamtree._certificate.certificate import check_certifiable, write_certificate
from beamtree._certificate.header import RawRows, table_names
from beamtree._engine.limits import seconds_of
from beamtree._engine.memory import MemoryAllowance
from beamtree._engine.outcome import Progress
from beamtree._engine.progress import listeners_of, live_line
from beamtree._engine.settings import (
    CLASSIFIER,
    CONTROL,
    PATH,
    POLICY,
    REGRESSOR,
    SEARCH,
    SETTINGS,
    Callback,
    Settings,
)
from beamtree._engine.strategy import HeuristicLike, RuleLike, ScheduleLike
from beamtree._estimator import ALTERNATIVES_SECONDS
from beamtree._resume.checkpoint_file import (
    CheckpointError,
    check_place,
    read_checkpoint,
    write_checkpoint,
)
from beamtree._resume.checkpoint_header import (
    added_of,
    check_same_data,
    classes_of,
    header_of,
    predicted_by,
    preparation_of,
    settings_of,
)
from beamtree._resume.initial_tree import check_kind, make_engine, read_kind
from beamtree._resume.saver import Saver
from beamtree._sklearn.attributes import fitted_attributes
from beamtree._table.columns import Columns
from beamtree._table.row_costs import names_of_actions
from beamtree._table.training_data import (
    ESTIMATORS,
    Predicted,
    TrainingData,
    policy_data,
    read_rewards,
    read_rows,
    training_data,
)
from beamtree._util.atomic_files import check_folder
from beamtree._util.html import html_text
from beamtree._util.validation import SECONDS_OR_NONE
from beamtree.alternatives import Alternatives
from beamtree.cancel import CancelToken
from beamtree.classifier import OptimalTreeClassifier
from beamtree.dask._collections import check_client
from beamtree.dask._distributed_search import distributor
from beamtree.export._box import tree_box
from beamtree.export._model import Model
from beamtree.objectives import Objective
from beamtree.policy import OptimalPolicyTree
from beamtree.regressor import OptimalTreeRegressor
from beamtree.result import Incumbent, Result
from beamtree.search_space import SearchSpace

__all__ = ["Search"]

# The parameters of `Search.load`: settings that are not stored in a checkpoint. The tree of `init`
# has no effect on a search that has begun.
LOAD = [name for name in CONTROL if name in SEARCH and name != "init"]

_Estimator = TypeVar("_Estimator")


class Search:
    """A search for the best tree that you drive yourself.

    Iterate over it to get every improvement of the tree or of the lower bound. Leave the loop when
    you like, and iterate again to continue from there. Only the time inside the search counts.
    `OptimalTreeClassifier` runs the same search to its end.

    Parameters
    ----------
    X : array-like, sparse matrix or data frame of shape (n_rows, n_features)
        The table, as in `OptimalTreeClassifier.fit`.
    y : array-like of shape (n_rows,)
        Labels: numbers, strings or booleans. With `regression`, numbers to predict. With `policy`,
        the rewards of the actions, of shape (n_rows, n_actions), as in `OptimalPolicyTree.fit`.
    sample_weight : array-like of shape (n_rows,), default=None
        Weights of the rows, at least 0 and not all 0; None gives all rows the same weight.
    regression : bool, default=False
        Whether the tree predicts the numbers of `y`, as `OptimalTreeRegressor` does, instead of
        labels. The settings are then those of `OptimalTreeRegressor`.
    policy : bool, default=False
        Whether the tree chooses actions by their rewards, as `OptimalPolicyTree` does, instead of
        predicting labels. The settings are then those of `OptimalPolicyTree`.
    actions : sequence or None, default=None
        With `policy`, the names of the actions, as in `OptimalPolicyTree`.
    max_depth, min_samples_leaf, leaf_penalty, max_leaf_nodes, class_weight, cost_matrix
        As in `OptimalTreeClassifier`.
    min_weight_fraction_leaf, max_thresholds, tie_break
        As in `OptimalTreeClassifier`.
    criterion : {"squared_error"} or Objective, default="squared_error"
        What the leaves of a tree that predicts numbers cost: squared errors, or an objective of
        your own. As in `OptimalTreeRegressor`; needs `regression`.
    rule, schedule, heuristic, exact_levels
        As in `OptimalTreeClassifier`.
    gap_limit, node_limit, memory_limit, init, cancel, n_jobs
        As in `OptimalTreeClassifier`.
    callback, verbose
        As in `OptimalTreeClassifier`; only `run` calls the callback and prints.
    on_interrupt : {"auto", "keep", "raise"}, default="auto"
        What happens after Ctrl-C in a step or a run, once the search has stopped. ``"keep"`` only
        sets the status ``"interrupted"``; ``"raise"`` raises KeyboardInterrupt. ``"auto"`` raises
        if scikit-learn or joblib runs the code that called the search, and keeps otherwise.
    client : distributed.Client or None, default=None
        Dask cluster whose workers do the search; see `beamtree.dask`. None searches in this
        process.
    checkpoint : path or None, default=None
        File in which the search is saved while it runs and when it ends. An existing file is
        replaced; use `load` to continue from it. If a save fails while the search runs, there is
        one warning and the search continues. If it fails at the end of a run, the run raises the
        error, and `result` still has the tree.
    checkpoint_every : float or None, default=60.0
        Seconds between two saves; None saves only at the end. The search gets at least as much
        time as saving. Time spent on saving does not count.

    Attributes
    ----------
    classes : ndarray of shape (n_classes,)
        The labels, sorted, in the order of the columns of the trees' values. With `regression`
        there are none, and with `policy` these are the actions.
    columns : Columns
        The columns of X; their ``encode`` converts a table to the arrays that the trees take.
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
        regression: bool = False,
        policy: bool = False,
        actions: Sequence[Any] | None = None,
        max_depth: int | None = 4,
        min_samples_leaf: float = 1,
        leaf_penalty: float = 0.0,
        max_leaf_nodes: int | None = None,
        class_weight: Mapping[Any, float] | str | None = None,
        cost_matrix: Any = None,
        min_weight_fraction_leaf: float = 0.0,
        max_thresholds: int | None = None,
        tie_break: str = "small",
        criterion: str | Objective = "squared_error",
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
        on_interrupt: str = "auto",
        n_jobs: int | None = None,
        verbose: int = 0,
        client: Any = None,
        checkpoint: str | os.PathLike[str] | None = None,
        checkpoint_every: float | None = 60.0,
    ) -> None:
        begin = perf_counter()
        here = locals()
        check_client(client)
        settings = Settings(**{name: here[name] for name in SEARCH})
        kind = check_kind(settings, regression=regression, policy=policy, actions=actions)
        if checkpoint is not None:
            check_place(Path(checkpoint))
        allowance = MemoryAllowance(memory_limit)
        data = read_kind(kind, X, y, actions, sample_weight, settings, "Search")
        self._given = (X, y, sample_weight)
        self._set_up(data, settings, allowance, begin, client)

    def _set_up(
        self,
        data: TrainingData,
        settings: Settings,
        allowance: MemoryAllowance,
        begin: float,
        client: Any,
    ) -> None:
        self.classes, self.columns, self.search_space = data.classes, data.columns, data.space
        self._data, self._settings = data, settings
        path = settings.checkpoint
        if path is not None:
            header_of(settings, data, 0.0)  # refuses what cannot be saved before the search begins
        self._engine = make_engine(
            data, settings, allowance=allowance, begin=begin, distribute=distributor(client)
        )
        if path is not None:
            me = proxy(self)  # no reference cycle, so that the memory is freed with the search
            self._engine.saver = Saver(lambda: me.save(path), settings.checkpoint_every)

    def __repr__(self) -> str:
        """Return what is proved about the best tree so far, in one line."""
        return f"Search({self._proof()})"

    def _repr_html_(self) -> str:
        """Return what is proved about the best tree so far, and its picture."""
        if (incumbent := self.incumbent) is None:
            return f"<p>{html_text(self._proof())}</p>"
        names = tuple(str(label) for label in self.classes)
        model = Model(incumbent.tree, self.columns, self.classes, names)
        return tree_box(model, self._proof())

    def _proof(self) -> str:
        rows, columns = len(self._data.X), len(self.columns.names)
        incumbent = self.incumbent
        if incumbent is None:
            return f"Not started: {rows:,} rows, {columns:,} columns, {self.search_space}"
        return incumbent.proof

    def __iter__(self) -> Iterator[Incumbent]:
        """Continue the search, and yield the incumbent at every improvement."""
        with self._saved_at_the_end():
            while (incumbent := self.step()) is not None:
                yield incumbent

    def step(self, time_limit: float | None = None) -> Incumbent | None:
        """Search until the tree or the lower bound improves.

        The first step gives a greedy tree, even with a time limit of 0.

        Parameters
        ----------
        time_limit : float or None, default=None
            Seconds after which the step ends without an improvement; None for no limit.

        Returns
        -------
        Incumbent or None
            The best tree; None if there was no improvement, because the search is `done`, a limit
            was reached, or Ctrl-C was pressed. Another step can continue unless it is `done`.

        Raises
        ------
        Exception
            An exception that a rule of your own raised; `incumbent` and `result` stay valid.
        """
        SECONDS_OR_NONE.check("time_limit", time_limit)
        engine = self._engine
        engine.limits.seconds = seconds_of(time_limit)
        with engine.interrupts:
            improved = engine.step(engine.limits.seconds)
            incumbent = engine.incumbent() if improved else None
        engine.interrupts.raise_if_pressed(self._settings.on_interrupt)
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
            Seconds after which the run ends; None for no limit. Another run can continue.
        node_limit, gap_limit : default=None
            New limits, from now on; None keeps the previous ones.

        Returns
        -------
        Result
            The best tree, and what is proved about the best possible tree.
        """
        SECONDS_OR_NONE.check("time_limit", time_limit)
        engine = self._engine
        for name, limit in (("node_limit", node_limit), ("gap_limit", gap_limit)):
            if limit is not None:
                SETTINGS[name].allowed.check(name, limit)
        if node_limit is not None:
            engine.limits.nodes = node_limit
        if gap_limit is not None:
            engine.limits.gap = gap_limit
        engine.limits.seconds = seconds_of(time_limit)
        listeners = listeners_of(self._settings.callback, self._settings.verbose)
        with engine.interrupts:
            with self._saved_at_the_end(), live_line(engine, self._settings.verbose):
                engine.run(engine.limits.seconds, listeners)
            result = self.result()
        engine.interrupts.raise_if_pressed(self._settings.on_interrupt)
        return result

    def result(self) -> Result:
        """Return the best tree so far, and what is proved about the best possible tree.

        Returns
        -------
        Result
            The current result; the first step is taken if there was none, with no time.
        """
        return self._engine.result()

    def alternatives(self, time_limit: float | None = ALTERNATIVES_SECONDS) -> Alternatives:
        """Return what is known about the tests that could be at the root.

        Parameters
        ----------
        time_limit : float or None, default=0.1
            Seconds for finding out more; None for no limit.

        Returns
        -------
        Alternatives
            For each test, the best objective that was found with it, and a lower bound. If there
            are very many thresholds, only one or two of each column are listed, the best of a few
            that were tried.
        """
        SECONDS_OR_NONE.check("time_limit", time_limit)
        return self._engine.alternatives(seconds_of(time_limit))

    def progress(self) -> Progress:
        """Return how far the search is; any thread may ask, even during a step.

        Returns
        -------
        Progress
            Named tuple of ``seconds``, ``nodes``, ``objective``, ``lower_bound``, ``restart`` (the
            number of the pass, from 0), ``threshold`` (of the rule), ``bytes`` (memory of the
            search) and ``time_to_proof`` (estimated seconds until the proof, None if nothing can be
            said). The objective is infinite before the first step.

        Examples
        --------
        >>> from beamtree import Search
        >>> search = Search([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1], max_depth=2)
        >>> search.progress().objective
        inf
        >>> _ = search.run()
        >>> search.progress().objective
        0.0
        """
        return self._engine.progress()

    def to_classifier(
        self, time_limit: float | None = ALTERNATIVES_SECONDS
    ) -> OptimalTreeClassifier:
        """Return a classifier that is fitted with the best tree so far.

        The search may be unfinished, and can continue afterwards, which does not change the
        classifier. The first step is taken if there was none.

        Parameters
        ----------
        time_limit : float or None, default=0.1
            Seconds for finding out more about the `alternatives` of the tree; None for no limit.

        Returns
        -------
        OptimalTreeClassifier
            A fitted classifier. It has the settings of the problem and the strategy as parameters;
            limits and other parameters have their defaults.

        Examples
        --------
        >>> from beamtree import Search
        >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["dry", "wet", "wet", "wet"]
        >>> search = Search(X, y, max_depth=2)
        >>> _ = search.run(time_limit=10)
        >>> clf = search.to_classifier()
        >>> clf.status_, clf.predict([[0, 0], [1, 1]]).tolist()
        ('optimal', ['dry', 'wet'])
        """
        self._check_predicts("labels")
        return self._fitted(OptimalTreeClassifier(**self._taken(CLASSIFIER)), time_limit)

    def to_regressor(self, time_limit: float | None = ALTERNATIVES_SECONDS) -> OptimalTreeRegressor:
        """Return a regressor that is fitted with the best tree so far, if `regression` is True.

        The search may be unfinished, and can continue afterwards, which does not change the
        regressor. The first step is taken if there was none.

        Parameters
        ----------
        time_limit : float or None, default=0.1
            Seconds for finding out more about the `alternatives` of the tree; None for no limit.

        Returns
        -------
        OptimalTreeRegressor
            A fitted regressor. It has the settings of the problem and the strategy as parameters;
            limits and other parameters have their defaults.

        Examples
        --------
        >>> from beamtree import Search
        >>> search = Search([[0], [1], [2]], [0.5, 0.5, 2.0], regression=True, max_depth=1)
        >>> _ = search.run(time_limit=10)
        >>> reg = search.to_regressor()
        >>> reg.status_, reg.predict([[0], [2]]).tolist()
        ('optimal', [0.5, 2.0])
        """
        self._check_predicts("numbers")
        return self._fitted(OptimalTreeRegressor(**self._taken(REGRESSOR)), time_limit)

    def to_policy_tree(self, time_limit: float | None = ALTERNATIVES_SECONDS) -> OptimalPolicyTree:
        """Return a policy tree that is fitted with the best tree so far, if `policy` is True.

        The search may be unfinished, and can continue afterwards, which does not change the policy
        tree. The first step is taken if there was none.

        Parameters
        ----------
        time_limit : float or None, default=0.1
            Seconds for finding out more about the `alternatives` of the tree; None for no limit.

        Returns
        -------
        OptimalPolicyTree
            A fitted policy tree. It has the settings of the problem and the strategy as parameters,
            and the actions if they have names; limits and other parameters have their defaults.

        Examples
        --------
        >>> from beamtree import Search
        >>> X, rewards = [[25], [31], [47], [62]], [[0, 3], [0, 2], [0, -1], [0, -4]]
        >>> search = Search(X, rewards, policy=True, actions=["none", "treat"], max_depth=1)
        >>> print(search.run(time_limit=10))
        Proved optimal: total reward 5
        >>> search.to_policy_tree().predict([[28], [55]]).tolist()
        ['treat', 'none']
        """
        self._check_predicts("actions")
        tree = OptimalPolicyTree(**self._taken(POLICY), actions=names_of_actions(self.classes))
        return self._fitted(tree, time_limit)

    def _check_predicts(self, wanted: Predicted) -> None:
        """Raise a ValueError if the search is for another kind of estimator."""
        if (found := self._data.predicted) != wanted:
            msg = (
                f"to_{ESTIMATORS[wanted]}() needs a search for {wanted}, and this one is for "
                f"{found}: use to_{ESTIMATORS[found]}()"
            )
            raise ValueError(msg)

    def _taken(self, names: tuple[str, ...]) -> dict[str, Any]:
        """Return those parameters of the search that an estimator takes."""
        return {name: value for name, value in self.parameters.items() if name in names}

    def _fitted(self, estimator: _Estimator, time_limit: float | None) -> _Estimator:
        """Set the fitted attributes of an estimator."""
        smoothing = getattr(estimator, "leaf_smoothing", None)
        attributes = fitted_attributes(self.result(), self._data, smoothing) | {
            "alternatives_": self.alternatives(time_limit),
            "n_features_in_": len(self.columns.names),
        }
        if self._data.names is not None:
            attributes["feature_names_in_"] = np.array(self._data.names, dtype=object)
        for name, value in attributes.items():
            setattr(estimator, name, value)
        return estimator

    def certificate(
        self,
        path: str | os.PathLike[str],
        *,
        target: str | None = None,
        weight: str | None = None,
        missing: Sequence[str] | None = None,
    ) -> None:
        """Write a proof of the lower bound, which a program that is not beamtree can check.

        The file has the best tree so far, and the reasons why no tree costs less than the lower
        bound. ``checker/check_certificate.py`` in the repository checks it against the table in a
        csv file, and so does ``beamtree verify``. If the search is unfinished, the proof is of the
        lower bound that it has so far. Writing takes up to some ten times as long as the search,
        and up to a hundred times at a price per leaf without a limit of depth; Ctrl-C ends it.

        Parameters
        ----------
        path : path
            The file, in a folder that exists. It is compressed with gzip.
        target : str or None, default=None
            What a file with the table calls the column of the labels or numbers. By default it is
            the name that `y` has, or ``"y"``.
        weight : str or None, default=None
            What it calls the column of the sample weights. By default it is the name that
            `sample_weight` has, or ``"weight"``.
        missing : sequence of str or None, default=None
            Cells that stand for missing values there. By default these are the empty cell and what
            pandas writes.

        Raises
        ------
        ValueError
            If the problem is one that certificates cannot state: limits of leaves, costs of
            mistakes, policies, objectives of your own.
        RuntimeError
            If the bound could not be proved again.

        Examples
        --------
        >>> import tempfile
        >>> from pathlib import Path
        >>> from beamtree import Search
        >>> from beamtree.datasets import tic_tac_toe
        >>> X, y, _, _ = tic_tac_toe()
        >>> search = Search(X, y, max_depth=3)
        >>> _ = search.run()
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "boards.certificate"
        ...     search.certificate(path)
        ...     path.stat().st_size < 2000
        True
        """
        PATH.check("path", path)
        check_folder("path", Path(path))
        check_certifiable(self._settings, actions=self.policy)
        X, y, sample_weight = self._given
        names = table_names(y, sample_weight, target, weight, missing)
        engine = self._engine
        with engine.interrupts:
            write_certificate(
                path, engine, self._data, RawRows.of(self.columns, X, sample_weight), names
            )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save everything that the search knows, but not the data.

        An existing file is replaced. The new file is written next to the old one, and replaces it
        when it is complete, with the same permissions. After a crash, the path therefore has
        either the complete old file or the complete new one.

        Parameters
        ----------
        path : path
            The file, in a folder that exists.

        Raises
        ------
        CheckpointError
            If you wrote the rule or the criterion yourself, if labels are neither numbers, strings
            nor booleans, or if the path is that of a folder, a device or a pipe.
        """
        PATH.check("path", path)
        engine = self._engine
        header = header_of(self._settings, self._data, engine.preparation)
        write_checkpoint(Path(path), header, engine.save)

    @contextmanager
    def _saved_at_the_end(self) -> Iterator[None]:
        """Save at the end of the context.

        If the context ends with an exception or a break, a failure to save is only a warning.
        """
        saver = self._engine.saver
        try:
            yield
        except BaseException:
            if saver is not None:
                saver.try_to_save()
            raise
        if saver is not None:
            saver.save()

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        regression: bool | None = None,
        policy: bool | None = None,
        client: Any = None,
        **control: Any,
    ) -> Self:
        """Return a search that was saved, to continue it.

        Parameters
        ----------
        path : path
            The file.
        X, y, sample_weight
            The data of the search. The names of actions are those of the search.
        regression, policy : bool or None, default=None
            Whether the search must be one with `regression`, or with `policy`; None accepts both.
        client : distributed.Client or None, default=None
            Dask cluster whose workers do the search from now on.
        **control
            Settings that are not saved: `gap_limit`, `node_limit`, `memory_limit`, `callback`,
            `cancel`, `on_interrupt`, `n_jobs`, `verbose`, `checkpoint`, `checkpoint_every`. They
            have the same defaults as in a new search.

        Returns
        -------
        Search
            The search, in the state in which it was saved.

        Raises
        ------
        CheckpointError
            If the file is not a checkpoint, has another version, is truncated or altered, or if
            the data are not those of the search.

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
        check_client(client)
        for name in control:
            if name not in LOAD:
                msg = f"Search.load() takes no parameter {name!r}; allowed are {LOAD}"
                raise TypeError(msg)
        given = Settings(**control)
        given.check()
        if given.checkpoint is not None:
            check_place(Path(given.checkpoint))
        allowance = MemoryAllowance(given.memory_limit)

        def take(header: dict[str, Any], read: Callable[[], bytes]) -> Search:
            settings = replace(given, **settings_of(header))
            added, kind = added_of(header), predicted_by(header)
            _check_wanted(kind, regression, policy)
            most = settings.max_thresholds
            if kind == "actions":
                rows = read_rewards(X, y, classes_of(header), "Search")
                data = policy_data(*rows, sample_weight, most, added)
            else:
                numbers = kind == "numbers"
                table, target = read_rows(X, y, "Search", numbers=numbers)
                data = training_data(table, target, sample_weight, most, added, numbers=numbers)
            check_same_data(header, data)
            search = cls.__new__(cls)
            search._given = (X, y, sample_weight)
            search._set_up(data, settings, allowance, begin, client)
            search._engine.restore(read, preparation_of(header))
            return search

        search: Self = read_checkpoint(Path(path), take)
        return search

    @property
    def regression(self) -> bool:
        """Whether the trees predict numbers instead of labels."""
        return self._data.predicted == "numbers"

    @property
    def policy(self) -> bool:
        """Whether the trees choose actions instead of predicting labels."""
        return self._data.predicted == "actions"

    @property
    def parameters(self) -> dict[str, Any]:
        """The settings of the problem and of the strategy, by name."""
        return self._settings.identity()

    @property
    def incumbent(self) -> Incumbent | None:
        """The best tree so far, and when and how it was found; None before the first step."""
        return self._engine.incumbent() if self._engine.started else None

    @property
    def lower_bound(self) -> float:
        """Lower bound on the objective of every tree; 0 before the first step."""
        return self._engine.verdict()[1] if self._engine.started else 0.0

    @property
    def n_leaves_bound(self) -> int:
        """No tree with the least objective has fewer leaves; 1 before the first step."""
        return self._engine.leaves_bound() if self._engine.started else 1

    @property
    def status(self) -> str:
        """Why the search or its last step ended, as in `Result`; ``"running"`` between steps."""
        return self._engine.verdict()[0] if self._engine.started else "running"

    @property
    def done(self) -> bool:
        """Whether the search has ended, so that another step would change nothing.

        A search that reached its limit on nodes or gap is not done: it can continue with another
        limit.
        """
        return self._engine.done


def _check_wanted(found: Predicted, regression: bool | None, policy: bool | None) -> None:  # noqa: FBT001
    """Raise a CheckpointError if a search is of another kind than the one that is wanted."""
    pairs = ((regression, found == "numbers"), (policy, found == "actions"))
    if any(wanted is not None and wanted != is_so for wanted, is_so in pairs):
        wanted = "numbers" if regression else "actions" if policy else "labels"
        msg = f"it is a search for a tree that predicts {found}, not {wanted}"
        raise CheckpointError(msg)
