"""The methods with which classifiers show and export their fitted tree."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from sklearn.pipeline import Pipeline
    from sklearn.tree import DecisionTreeClassifier

    from beamtree.export._fitted import FittedClassifier


class TreeExportMixin:
    """Mixin that shows and exports the tree of a classifier, or of its `best_estimator_`.

    Every method calls the function of `beamtree.export` that its docstring names.
    """

    def plot(
        self,
        ax: Axes | None = None,
        *,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
        orientation: str | None = None,
    ) -> Axes:
        """Draw the tree with matplotlib; see `beamtree.export.plot_tree`.

        Parameters
        ----------
        ax : Axes, optional
            Where to draw; by default a new figure that is large enough.
        feature_names, class_names : sequence of str, optional
            Names of the columns and of the classes.
        orientation : {"down", "right"}, optional
            The direction in which the tree grows; by default down if the tree is small.

        Returns
        -------
        Axes
            The axes with the drawing.
        """
        from beamtree.export.plot import plot_tree

        return plot_tree(
            self,
            ax,
            feature_names=feature_names,
            class_names=class_names,
            orientation=orientation,
        )

    def to_svg(
        self,
        *,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
        orientation: str | None = None,
        max_depth: int | None = None,
    ) -> str:
        """Return the tree as a picture in SVG; see `beamtree.export.export_svg`.

        Parameters
        ----------
        feature_names, class_names : sequence of str, optional
            Names of the columns and of the classes.
        orientation : {"down", "right"}, optional
            The direction in which the tree grows; by default down if the tree is small.
        max_depth : int, optional
            The largest depth of nodes that are drawn; by default all nodes are.

        Returns
        -------
        str
            An ``<svg>`` element, for a file or a page.
        """
        from beamtree.export.svg import export_svg

        return export_svg(
            self,
            feature_names=feature_names,
            class_names=class_names,
            orientation=orientation,
            max_depth=max_depth,
        )

    def to_html(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> str:
        """Return the tree as an interactive page; see `beamtree.export.to_html`.

        Parameters
        ----------
        path : str or path, optional
            The file to which the page is written; by default it is only returned.
        feature_names, class_names : sequence of str, optional
            Names of the columns and of the classes.

        Returns
        -------
        str
            The HTML, which needs no other file and no network.
        """
        from beamtree.export.html import to_html

        return to_html(self, path, feature_names=feature_names, class_names=class_names)

    def to_sklearn(self) -> DecisionTreeClassifier | Pipeline:
        """Return the tree as a tree of scikit-learn; see `beamtree.export.to_sklearn`.

        Returns
        -------
        sklearn.tree.DecisionTreeClassifier or sklearn.pipeline.Pipeline
            A fitted classifier with the same predictions. It is a pipeline of a
            `beamtree.export.TreeEncoder` and the tree if a column has categories.
        """
        from beamtree.export.sklearn import to_sklearn

        return to_sklearn(self)

    def to_onnx(self) -> Any:
        """Return the tree as a model in ONNX; see `beamtree.export.to_onnx`.

        Returns
        -------
        onnx.ModelProto
            The model.
        """
        from beamtree.export.onnx import to_onnx

        return to_onnx(self)

    def to_json(self, *, indent: int | None = None) -> str:
        """Return the tree as JSON; see `beamtree.export.to_json`.

        Parameters
        ----------
        indent : int, optional
            Spaces by which each level is indented.

        Returns
        -------
        str
            The JSON.
        """
        from beamtree.export.json import to_json

        return to_json(self, indent=indent)

    def to_sql(self, table: str | None = None, *, output: str = "prediction") -> str:
        """Return the predictions as SQL; see `beamtree.export.to_sql`.

        Parameters
        ----------
        table : str, optional
            Name of a table; if given, the result is a query and not only an expression.
        output : str, default="prediction"
            Name of the column of predictions, if `table` is given.

        Returns
        -------
        str
            An expression or a query.
        """
        from beamtree.export.sql import to_sql

        return to_sql(self, table, output=output)

    def to_python(self, *, name: str = "predict") -> str:
        """Return the source code of a function that predicts; see `beamtree.export.to_python`.

        Parameters
        ----------
        name : str, default="predict"
            Name of the function.

        Returns
        -------
        str
            The source code.
        """
        from beamtree.export.python import to_python

        return to_python(self, name=name)

    def leaf_rules(
        self,
        *,
        feature_names: Sequence[str] | None = None,
        class_names: Sequence[str] | None = None,
    ) -> list[str]:
        """Return one sentence per leaf; see `beamtree.export.leaf_rules`.

        Parameters
        ----------
        feature_names, class_names : sequence of str, optional
            Names of the columns and of the classes.

        Returns
        -------
        list of str
            The sentences.
        """
        from beamtree.export.rules import leaf_rules

        return leaf_rules(self, feature_names=feature_names, class_names=class_names)

    # The printer of scikit-learn recognises estimators by their __repr__, so only __str__ changes.
    def __str__(self) -> str:
        """Return the parameters; if the classifier is fitted, between the proof and the tree."""
        if (fitted := self._with_tree()) is None:
            return repr(self)
        from beamtree.export._model import Model
        from beamtree.export.text import first_lines

        return f"{fitted.proof_}\n{self!r}\n{first_lines(Model.of(fitted))}"

    def _with_tree(self) -> FittedClassifier | None:
        """Return the classifier that has the tree, or None before `fit`."""
        classifier: Any = getattr(self, "best_estimator_", self)
        return classifier if hasattr(classifier, "tree_") else None

    def _fitted_html(self, html: str) -> str:
        """Return the diagram of scikit-learn; if fitted, between the proof and the tree."""
        if (fitted := self._with_tree()) is None:
            return html
        from beamtree.export._box import tree_box
        from beamtree.export._model import Model

        return tree_box(Model.of(fitted), fitted.proof_, html)

    def _repr_html_inner(self) -> str:
        return self._fitted_html(super()._repr_html_inner())  # type: ignore[misc]

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, str]:
        """Return what notebooks and consoles show: proof, diagram of scikit-learn, and tree."""
        bundle: dict[str, str] = super()._repr_mimebundle_(**kwargs)  # type: ignore[misc]
        if "text/plain" in bundle:
            bundle["text/plain"] = str(self)
        if "text/html" in bundle:
            bundle["text/html"] = self._fitted_html(bundle["text/html"])
        return bundle
