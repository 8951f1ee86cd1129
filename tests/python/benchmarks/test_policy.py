"""The benchmark of policy trees proves small problems, on the data of the docs."""

import importlib
import json
import re

import pytest
from numpy.testing import assert_array_equal

from tests import ROOT


@pytest.fixture
def policy():
    return importlib.import_module("policy")


def test_small_problems_are_proved(policy, tmp_path, capsys):
    file = tmp_path / "out.json"
    for given in ([], ["--noise"], ["--binary", "2"]):
        policy.main(
            ["--rows", "40", "--columns", "4", "--depths", "1", "2", "--json", str(file), *given]
        )
        found = [problem["beamtree"] for problem in json.loads(file.read_text())["problems"]]
        assert all(each["proved"] for each in found)
        assert found[0]["reward"] <= found[1]["reward"] + found[1]["rounding"]
    assert capsys.readouterr().out.count(" yes ") == 6


def test_the_docs_generate_the_same_data(policy):
    page = (ROOT / "docs" / "policy.md").read_text()
    code = re.search(r"```python\n(.*?return X, scores\n)", page, re.DOTALL).group(1)
    space = {}
    exec(code, space)
    for ours, theirs in zip(policy.generate(20), space["generate"](20), strict=True):
        assert_array_equal(ours, theirs)
