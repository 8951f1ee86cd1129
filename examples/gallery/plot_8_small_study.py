"""
A small study
=============

`beamtree.study` runs systems of the paper side by side, each run in its own process. This campaign
compares three of them and beamtree on one dataset, and draws their errors over time.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt

from beamtree.datasets import save_dl8, tic_tac_toe
from beamtree.study import read_runs, run

SYSTEMS = ["dl85", "ca-discrepancy-luby", "blossom", "beamtree"]

with tempfile.TemporaryDirectory() as name:
    data = Path(name) / "tic-tac-toe.txt"
    save_dl8(tic_tac_toe(), data)
    run(data, out=name, depths=[5], budget=3.0, systems=SYSTEMS, jobs=1)
    runs = read_runs(name)

for one in runs:
    print(f"{one.system}: {one.status}, {one.objective:g} errors, {one.seconds:.2f} s")

# %%
# A circle marks the end of a run: at the proof, or at the end of the budget.
fig, ax = plt.subplots(figsize=(7, 4), layout="constrained")
for one in runs:
    seconds = [row[0] for row in one.trace] + [one.seconds]
    errors = [row[1] for row in one.trace] + [one.objective]
    ax.step(seconds, errors, where="post", label=one.system, marker="o", markevery=[-1])
ax.set(xscale="log", xlabel="seconds", ylabel="errors of the best tree so far")
ax.legend()
