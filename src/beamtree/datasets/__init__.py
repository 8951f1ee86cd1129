"""Datasets: small ones that need no network, those of the paper, and data in files."""

from beamtree.datasets.binarized import load_binarized
from beamtree.datasets.binary import BinaryData
from beamtree.datasets.catalogue import Entry, catalogue, load, names
from beamtree.datasets.cp4im import FetchError, fetch_cp4im
from beamtree.datasets.files import TableData, load_csv, load_dl8, save_csv, save_dl8
from beamtree.datasets.generated import balance_scale, monks, multiplexer, parity, tic_tac_toe

__all__ = [
    "BinaryData",
    "Entry",
    "FetchError",
    "TableData",
    "balance_scale",
    "catalogue",
    "fetch_cp4im",
    "load",
    "load_binarized",
    "load_csv",
    "load_dl8",
    "monks",
    "multiplexer",
    "names",
    "parity",
    "save_csv",
    "save_dl8",
    "tic_tac_toe",
]
