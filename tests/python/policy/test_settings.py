"""The parameters of the policy tree are settings of the search."""

import inspect

from beamtree import OptimalPolicyTree
from beamtree._engine.settings import POLICY, SETTINGS
from tests.python.engine.test_settings import described


def test_signatures_and_docstrings_have_the_declared_names_and_defaults():
    parameters = dict(inspect.signature(OptimalPolicyTree).parameters)
    assert parameters.pop("actions").default is None
    assert tuple(parameters) == POLICY
    assert sorted(described(OptimalPolicyTree)) == sorted([*POLICY, "actions"])
    assert parameters.pop("max_depth").default == 3
    for name, parameter in parameters.items():
        assert parameter.default == SETTINGS[name].default, name
