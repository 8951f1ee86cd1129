"""Writing the certificate of a search."""

from __future__ import annotations

import gzip
import io
import json
import os
from pathlib import Path
from typing import Any

from beamtree._certificate.claims import ANY_DEPTH, Certifier
from beamtree._certificate.header import RawRows, Statement, TableNames
from beamtree._engine.engine import Engine
from beamtree._engine.settings import Settings
from beamtree._table.training_data import TrainingData
from beamtree._util.atomic_files import write_whole


def check_certifiable(settings: Settings, *, actions: bool = False, costs: bool = False) -> None:
    """Raise a ValueError if certificates cannot state the problem of a search.

    Parameters
    ----------
    settings : Settings
        The settings of the search.
    actions : bool, default=False
        Whether the tree chooses actions.
    costs : bool, default=False
        Whether the rows have costs of their own.
    """
    forbidden = {
        "max_leaf_nodes": ("a limit of leaves", settings.max_leaf_nodes is not None),
        "cost_matrix": ("costs of mistakes", settings.cost_matrix is not None),
        "sample_costs": ("costs of rows", costs),
        "rewards": ("rewards of actions", actions),
        "criterion": ("objectives of your own", settings.criterion != "squared_error"),
    }
    for name, (what, is_there) in forbidden.items():
        if is_there:
            msg = f"a certificate cannot be had together with {name}: it cannot state {what}"
            raise ValueError(msg)


def write_certificate(
    path: str | os.PathLike[str],
    engine: Engine,
    data: TrainingData,
    raw: RawRows,
    names: TableNames,
) -> None:
    """Write a proof of the lower bound of a search.

    Parameters
    ----------
    path : path
        The file.
    engine : Engine
        The search.
    data : TrainingData
        Its rows.
    raw : RawRows
        The rows as the user gave them.
    names : TableNames
        What a file with the table calls its columns.

    Raises
    ------
    NotProvedError
        If a bound that the search had cannot be proved again.
    KeyboardInterrupt
        If Ctrl-C was pressed.
    """
    statement = Statement(engine, data, raw)
    header = statement.header(names)
    limit = engine.settings.depth_limit
    certifier = Certifier(statement.problem, engine.prove, engine.shallow_bound)
    claims = certifier.claims(ANY_DEPTH if limit is None else limit, int(engine.outcome.lower))
    content = io.BytesIO()
    with gzip.GzipFile(fileobj=content, mode="wb", compresslevel=6, mtime=0) as file:
        for line in (header, *claims):
            file.write(_line(line))
    write_whole(Path(path), content.getvalue())


def _line(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"
