"""Compare beamtree with peers that take numbers, on columns of numbers with every threshold.

    python benchmarks/numeric.py --depths 2 --peers contree greedy

For beamtree the tests ``x > t`` are made first, and this time is measured too. Without ``--data``
the data are those of scikit-learn.
"""

import _data
from _runner import Job
from _solvers import installed
from proof_time import arguments, chosen, compare


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0], depths=[2])
    parser.set_defaults(peers=["contree"] if installed("contree") else [])
    parser.add_argument("--data", metavar="DIR", help="numeric-*.txt*: class, then numbers")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these datasets")
    options = parser.parse_args(argv)
    jobs = [Job("beamtree", "thresholds"), *(Job(name) for name in options.peers)]
    compare(chosen(_data.numbers(options.data), options), options, jobs)


if __name__ == "__main__":
    main()
