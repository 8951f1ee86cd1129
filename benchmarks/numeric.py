"""Columns of numbers with every threshold: beamtree beside peers that take numbers.

    python benchmarks/numeric.py --depths 2 --peers contree greedy

For us the tests ``x > t`` are made first, in the time that is measured.
Without ``--data`` it takes the data of scikit-learn.
"""

import _data
from _runner import Job
from _solvers import installed
from proof_time import arguments, chosen, compare


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0], depths=[2])
    parser.set_defaults(peers=["contree"] if installed("contree") else [])
    parser.add_argument("--data", metavar="DIR", help="numeric-*.txt*: class, then numbers")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these datasets alone")
    options = parser.parse_args(argv)
    jobs = [Job("beamtree", "thresholds"), *(Job(name) for name in options.peers)]
    compare(chosen(_data.numbers(options.data), options), options, jobs)


if __name__ == "__main__":
    main()
