"""Dates in files, from fit to predict, score and verify."""

import pytest

pytest.importorskip("cyclopts")

from tests.python.cli.command_lines import run
from tests.python.cli.test_files import fitted, here, refused  # noqa: F401

pytestmark = pytest.mark.usefixtures("here")

DAYS = [f"2024-02-{day:02}" for day in range(20, 30)] + [f"2024-03-{d:02}" for d in range(1, 11)]
Y = ["late" if day > "2024-03-01" else "early" for day in DAYS]
TREE = "signup <= 2024-03-01?\n  yes: early (11 rows, 100%)\n  no: late (9 rows, 100%)\n"


def write(path, values, labels=Y):
    rows = [f"{value},{label}" for value, label in zip(values, labels, strict=True)]
    path.write_text("\n".join(["signup,y", *rows]) + "\n")


def test_dates_are_recognised(tmp_path, capsys):
    write(tmp_path / "data.csv", DAYS)
    tree, notices = fitted(capsys, "data.csv --target y --depth 1 --save m.json")
    assert (tree, notices) == (TREE, "")
    assert run("predict m.json data.csv") == 0
    assert capsys.readouterr().out.splitlines()[-20:] == Y
    assert run("score m.json data.csv") == 0
    assert "accuracy 1" in capsys.readouterr().out.lower().replace(":", "")
    assert run("verify m.json data.csv") == 0


@pytest.mark.parametrize(
    ("form", "question"),
    [
        ("{} 05:30", "signup < 2024-03-02?"),
        ("{}T05:30:10", "signup < 2024-03-02?"),
        (" {}T05:30:10.25 ", "signup < 2024-03-02?"),
        ("{}T05:30:10.123456789", "signup < 2024-03-02?"),
        ("{}T05:30Z", "signup < 2024-03-02 00:00 UTC?"),
        ("{} 05:30+0200", "signup < 2024-03-02 00:00 UTC?"),
        ("{} 00:00", "signup <= 2024-03-01?"),
    ],
)
def test_forms_of_dates(tmp_path, capsys, form, question):
    write(tmp_path / "data.csv", [*(form.format(day) for day in DAYS), "NA"], [*Y, "late"])
    tree, notices = fitted(capsys, "data.csv --target y --depth 1 --save m.json")
    assert (tree.splitlines()[0], notices) == (question, "")
    assert run("predict m.json data.csv") == 0
    assert capsys.readouterr().out.splitlines()[-21:] == [*Y, "late"]


def test_a_date_that_is_none_makes_a_column_text(tmp_path, capsys):
    for wrong in ("2024-02-30", "soon"):
        write(tmp_path / "data.csv", [*DAYS, wrong], [*Y, "late"])
        _, notices = fitted(capsys)
        assert f"signup is text because of {wrong!r} in line 22 (see --na)" in notices
    write(tmp_path / "data.csv", [f"{day} 05:00{'Z' * (k % 2)}" for k, day in enumerate(DAYS)])
    assert "signup in (" in fitted(capsys)[0]


def test_other_values_at_predict_are_refused(tmp_path, capsys):
    write(tmp_path / "data.csv", DAYS)
    fitted(capsys, "data.csv --target y --depth 1 --save m.json")
    write(tmp_path / "new.csv", [*DAYS[:-1], "01.03.2024"])
    error = refused(capsys, "predict m.json new.csv")
    assert "column 'signup' must have dates such as 2024-03-01" in error
    assert "got '01.03.2024' in line 21" in error
    write(tmp_path / "new.csv", [f"{day} 05:00Z" for day in DAYS])
    assert "got '2024-02-20 05:00Z' in line 2" in refused(capsys, "predict m.json new.csv")
    write(tmp_path / "new.csv", ["NA"] * 20)
    assert run("predict m.json new.csv") == 0
    assert set(capsys.readouterr().out.splitlines()[-20:]) == {"late"}


def test_parquet_files_have_types(tmp_path, capsys):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    texts = pyarrow.array([*DAYS, None])
    times = texts.cast(pyarrow.timestamp("us"))
    columns = {
        "signup <= 2024-03-01?": texts.cast(pyarrow.date32()),
        "signup < 2024-03-02 00:00 UTC?": texts.cast(pyarrow.timestamp("us")).cast(
            pyarrow.timestamp("ms", tz="UTC")
        ),
        "signup < 11 days?": pyarrow.compute.subtract(times, times[0]),
        "signup < 01:45?": pyarrow.array([*(k * 600 for k in range(20)), None])
        .cast(pyarrow.int32())
        .cast(pyarrow.time32("s")),
    }
    for question, column in columns.items():
        table = pyarrow.table({"signup": column, "y": [*Y, "late"]})
        parquet.write_table(table, tmp_path / "data.parquet")
        tree, _ = fitted(capsys, "data.parquet --target y --depth 1 --save m.json")
        assert tree.splitlines()[0] == question
        assert run("predict m.json data.parquet") == 0
        assert capsys.readouterr().out.splitlines()[-21:] == [*Y, "late"]
        assert run("verify m.json data.parquet") == 0
        capsys.readouterr()
    # A csv file can have times of day, if the model knows that they are meant.
    write(tmp_path / "new.csv", ["01:44:59", "01:45"], ["", ""])
    assert run("predict m.json new.csv") == 0
    assert capsys.readouterr().out.splitlines()[-2:] == ["early", "late"]
