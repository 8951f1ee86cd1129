"""Compare solvers on more than two classes: iris, wine and digits, binarised at four quantiles.

python benchmarks/classes.py --peers pystreed
"""

import _data
from _runner import Job
from proof_time import arguments, chosen, compare


def main(argv=None):
    parser = arguments(__doc__.splitlines()[0], depths=[2, 3, 4])
    parser.add_argument("--only", nargs="+", metavar="NAME", help="only these datasets")
    options = parser.parse_args(argv)
    jobs = [Job(name) for name in ["beamtree", *options.peers]]
    compare(chosen(_data.many_classes(), options), options, jobs)


if __name__ == "__main__":
    main()
