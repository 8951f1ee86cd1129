"""Tables in files, as people have them: missing values, delimiters, compression, parquet."""

import gzip
import io
import os
import signal
import sys
from types import SimpleNamespace

import pytest

pytest.importorskip("cyclopts")

from tests.python.cli.command_lines import printed, run

ROWS = [
    "income,city,y",
    *(f"{10 * k},{'Rome' if k % 3 else 'Oslo'},{'yes' if k > 3 else 'no'}" for k in range(8)),
]
TEXT = "\n".join(ROWS) + "\n"
TREE = "income <= 35?\n  yes: no (4 rows, 100%)\n  no: yes (4 rows, 100%)\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fitted(capsys, words="data.csv --target y --depth 1"):
    """Return the tree and the notices that fit prints."""
    assert run(f"fit {words}") == 0
    output = capsys.readouterr()
    return output.out.split("\n", 2)[2], output.err


def refused(capsys, words="fit data.csv --target y"):
    assert run(words) == 2
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err.count("\n") == 1
    return output.err


@pytest.mark.parametrize("missing", ["", "NA", "N/A", "n/a", "NaN", "nan", "null", "None", "?"])
def test_the_usual_texts_are_missing_values(here, capsys, missing):
    (here / "data.csv").write_text(f"{TEXT}{missing},Rome,no\n {missing} ,Oslo,no\n")
    tree, notices = fitted(capsys)
    assert tree.startswith("income <= 35 or missing?")
    assert notices == ""


def test_na_replaces_the_usual_texts(here, capsys):
    (here / "data.csv").write_text(f"{TEXT}-,Rome,no\n-999,Oslo,no\n")
    tree, notices = fitted(capsys, "data.csv --target y --depth 1 --na - --na -999 --save m.json")
    assert tree.startswith("income <= 35 or missing?")
    assert notices == ""
    # The model remembers the texts.
    (here / "new.csv").write_text("income\n-999\n-\n70\n")
    assert run("predict m.json new.csv") == 0
    assert capsys.readouterr().out.split()[1:] == ["no", "no", "yes"]
    assert run("verify m.json data.csv") == 0
    # Without NA, a column of countries keeps Namibia.
    (here / "data.csv").write_text("country,y\nNA,yes\nDE,no\nFR,no\n,no\n")
    assert "country == NA?" in fitted(capsys, "data.csv --target y --depth 1 --na ''")[0]


def test_a_notice_says_which_value_makes_a_column_text(here, capsys):
    (here / "data.csv").write_text(TEXT.replace("\n10,", "\nabc,"))
    notices = fitted(capsys)[1]
    assert notices == "beamtree: income is text because of 'abc' in line 3 (see --na)\n"
    (here / "data.csv").write_text(TEXT.replace("\n10,", "\nabc,").replace("\n20,", "\ninf,"))
    assert "'abc' in line 3 and 1 other value (see --na)" in fitted(capsys)[1]


def test_signs_of_money_and_trailing_delimiters(here, capsys):
    (here / "data.csv").write_text("price;rate;y;;\n$12;5 %;a;;\n$15;7 %;b;;\n")
    assert fitted(capsys)[1] == (
        "beamtree: price is text because of the sign in '$12' in line 2 (see --na)\n"
        "beamtree: rate is text because of the sign in '5 %' in line 2 (see --na)\n"
    )
    (here / "data.csv").write_text("# exported today\nx;y\n1;a\n2;b\n")
    assert "got 'y'; the first line must have the names, with a delimiter" in refused(capsys)


def test_plain_text_gets_no_notice(here, capsys):
    lines = [f"A{k},{k}" if k % 3 else f"{k},{k}" for k in range(60)]
    tickets = [f"{'PC ' if k % 4 == 0 else ''}{1000 + k}" for k in range(60)]
    rows = [f"{line},{ticket},no" for line, ticket in zip(lines, tickets, strict=True)]
    (here / "data.csv").write_text("\n".join(["code,n,ticket,y", *rows]) + "\n")
    assert fitted(capsys)[1] == ""


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_delimiters_are_recognised(here, capsys, delimiter):
    (here / "data.csv").write_text(TEXT.replace(",", delimiter))
    assert fitted(capsys) == (TREE, "")


def test_a_delimiter_can_be_given(here, capsys):
    (here / "data.csv").write_text(TEXT.replace(",", ":"))
    assert "--target must be a column of 'data.csv' ('income:city:y')" in refused(capsys)
    assert fitted(capsys, "data.csv --target y --depth 1 --delimiter :")[0] == TREE
    (here / "data.csv").write_text(TEXT.replace(",", "\t"))
    for name in ("tab", r"'\t'"):
        assert fitted(capsys, f"data.csv --target y --depth 1 --delimiter {name}")[0] == TREE


def test_blanks_after_the_delimiter_do_not_count(here, capsys):
    (here / "data.csv").write_text(TEXT.replace(",", ", "))
    assert fitted(capsys)[0] == TREE


@pytest.mark.parametrize(
    "content",
    [gzip.compress(TEXT.encode()), b"\xef\xbb\xbf" + TEXT.encode(), TEXT.encode("utf-16")],
    ids=["gzip", "utf-8 with a mark", "utf-16"],
)
def test_compressed_and_encoded_files(here, capsys, monkeypatch, content):
    (here / "data.csv.gz").write_bytes(content)
    assert fitted(capsys, "data.csv.gz --target y --depth 1")[0] == TREE
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content)))
    assert fitted(capsys, "- --target y --depth 1")[0] == TREE


def test_the_standard_input(here, capsys, monkeypatch):
    (here / "data.csv").write_text(TEXT)
    fitted(capsys, "data.csv --target y --depth 1 --save m.json")
    for words in ("predict m.json -", "score m.json -", "verify m.json - --json"):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(TEXT.encode())))
        assert run(words) == 0
    assert capsys.readouterr().out.startswith("prediction\nno\n")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"")))
    assert "a column of standard input (it has no columns)" in refused(capsys, "fit - --target y")


def test_parquet(capsys, monkeypatch):
    pyarrow = pytest.importorskip("pyarrow")
    parquet = pytest.importorskip("pyarrow.parquet")
    columns = {
        "income": [*range(0, 80, 10), None],
        "share": [0.5] * 8 + [None],
        "city": ["Rome", "NA", None] * 3,
        "member": [True, None, False] * 3,
        "y": [False] * 4 + [True] * 5,
    }
    parquet.write_table(pyarrow.table(columns), "data.parquet")
    tree, notices = fitted(capsys, "data.parquet --target y --depth 1 --save m.json")
    assert tree.startswith("income <= 35?\n")
    assert notices == ""
    assert run("verify m.json data.parquet") == 0
    assert run("score m.json data.parquet --json") == 0
    output = capsys.readouterr().out
    assert '"errors": 0' in output
    message = refused(capsys, "fit data.parquet --target z")
    assert "--target must be a column of 'data.parquet' ('income', 'share', 'city'" in message
    message = refused(capsys, "fit data.parquet --target y --weight city")
    assert "got 'Rome' in row 1" in message
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    assert refused(capsys, "fit data.parquet --target y") == (
        "beamtree: reading 'data.parquet' needs pyarrow: pip install beamtree[parquet]\n"
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a;y\n1,5;no\n2;yes\n", "got '1,5' in line 2: write 1.5 with a decimal point; tr , . <"),
        ("a;y\n1,234;no\n2;yes\n", "got '1,234' in line 2: write 1.234 or 1234"),
        ('a,y\n"1,234,567",no\n', "got '1,234,567' in line 2: write 1234567"),
        ("a;y\n1.234,5;no\n", "got '1.234,5' in line 2: write 1234.5"),
        ("a,y\n1,5,no\n", "line 2 of 'data.csv' must have 2 values, got 3; a value that contains"),
        ("a,y\n1,NA\n", "got 'NA', a missing value (see --na), in line 2"),
        (b"PK\x03\x04rest", "must be a csv or parquet file, but it is an Excel or zip file"),
        (gzip.compress(TEXT.encode())[:30], "'data.csv' cannot be decompressed: "),
        (b"PAR1rest", "'data.csv' is not a valid parquet file: "),
    ],
    ids=range(9),
)
def test_files_that_are_refused(here, capsys, text, message):
    if text == b"PAR1rest":
        pytest.importorskip("pyarrow")
    (here / "data.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    assert message in refused(capsys)


def test_commas_in_text_are_text(here, capsys):
    (here / "data.csv").write_text('a,y\n"1,5",no\n"3,5 inch",yes\n')
    assert fitted(capsys)[1] == ""


def test_columns_without_a_name_are_named_as_in_pandas(here, capsys):
    lines = TEXT.splitlines()
    numbered = [f",{lines[0]}", *(f"{k},{line}" for k, line in enumerate(lines[1:]))]
    (here / "data.csv").write_text("\n".join(numbered) + "\n")
    assert fitted(capsys)[1] == (
        "beamtree: a column without a name is called 'Unnamed: 0' (--drop 'Unnamed: 0' leaves it "
        "out)\n"
    )
    assert fitted(capsys, "data.csv --target y --depth 1 --drop 'Unnamed: 0'") == (TREE, "")


def test_predict_needs_only_the_columns_of_the_tree(here, capsys):
    (here / "data.csv").write_text(TEXT)
    fitted(capsys, "data.csv --target y --depth 1 --save m.json")
    (here / "new.csv").write_text("note;note;income\nx;;70\n;;5\n")
    assert run("predict m.json new.csv") == 0
    assert capsys.readouterr().out.split()[1:] == ["yes", "no"]
    (here / "new.csv").write_text("city\nRome\n")
    message = refused(capsys, "predict m.json new.csv")
    assert "'new.csv' must have the column 'income' of the tree, got 'city'" in message
    (here / "new.csv").write_text("income\n1,5\n")
    assert "'new.csv'" in refused(capsys, "predict m.json new.csv")
    (here / "new.csv").write_text("income;x\n1,5;\n")
    assert "got '1,5' in line 2: write 1.5" in refused(capsys, "predict m.json new.csv")


def test_weights_of_rows_and_labels(here, capsys):
    weights = [5, 0, 1, 1, 1, 2.5, 1, 1]
    lines = TEXT.replace("70,Rome,yes", "70,Rome,no").splitlines()
    rows = [f"{line},{weight}" for line, weight in zip(lines[1:], weights, strict=True)]
    (here / "data.csv").write_text("\n".join([f"{lines[0]},w", *rows]) + "\n")
    words = "fit data.csv --target y --depth 1 --weight w --save m.json --json"
    for more in ("", "--class-weight balanced", "--class-weight yes=3", "--leaf-penalty 0.01"):
        assert run(f"{words} {more}") == 0
        assert printed(capsys)["rows"] == 7
        assert run("verify m.json data.csv") == 0, more
        said = capsys.readouterr().out
        assert "labels of the leaves: as the model says" in said
        assert "cannot be recounted" not in said
    (here / "data.csv").write_text("\n".join([f"{lines[0]},w", *rows]).replace(",5", ",4") + "\n")
    assert run("verify m.json data.csv") == 1
    assert "labels of the leaves: not as the model says" in capsys.readouterr().out
    (here / "data.csv").write_text("x,y,w\n1,no,1\n2,yes,-1\n")
    assert "numbers of at least 0, got '-1' in line 3" in refused(capsys, words)
    (here / "data.csv").write_text("x,y,w\n1,no,0\n2,yes,0\n")
    assert "a number above 0, got zeros only" in refused(capsys, words)


def test_score(here, capsys):
    (here / "data.csv").write_text(TEXT)
    fitted(capsys, "data.csv --target y --depth 1 --save m.json")
    (here / "test.csv").write_text("y;income;w\nno;0;1\nno;90;2\nyes;80;1\nperhaps;80;4\n")
    assert run("score m.json test.csv") == 0
    assert capsys.readouterr().out == (
        "accuracy: 0.5000 (2 errors in 4 rows)\n"
        "balanced accuracy: 0.5000\n"
        "log loss: 9.5500\n"
        "labels that the model does not know: perhaps\n"
        "\n"
        "label \\ predicted  no  yes  perhaps\n"
        "no                  1    1        0\n"
        "yes                 0    1        0\n"
        "perhaps             0    1        0\n"
    )
    assert run("score m.json test.csv --weight w --json") == 0
    said = printed(capsys)
    assert (said["rows"], said["errors"], said["accuracy"]) == (4, 2, 0.25)
    assert said["confusion_matrix"] == [[1, 2, 0], [0, 1, 0], [0, 4, 0]]
    assert "--target must be a column of 'test.csv'" in refused(
        capsys, "score m.json test.csv --target q"
    )


def test_cross_validation_chooses_the_size(here, capsys):
    (here / "data.csv").write_text(
        "x,noise,y\n" + "".join(f"{k},{k * 7 % 5},{k >= 20}\n" for k in range(40))
    )
    assert run("fit data.csv --target y --depth 2 --cv 4 --time 20") == 0
    first, header, *lines = capsys.readouterr().out.splitlines()
    assert first == "Cross validation with 4 folds; the size with the star is taken"
    assert header.split() == ["penalty", "leaves", "accuracy"]
    assert sum(line.startswith("*") for line in lines) == 1
    assert any(line.startswith("x <= 19.5") for line in lines)
    assert run("fit data.csv --target y --depth 2 --cv 4 --leaves 3 --json --time 20") == 0
    said = printed(capsys)
    assert said["cv"]["setting"] == "max_leaf_nodes"
    assert said["cv"]["chosen"] == said["leaves"] == 2
    assert [row["value"] for row in said["cv"]["tried"]] == [1, 2]


def test_a_stopped_cross_validation_gives_no_tree(here, capsys, monkeypatch):
    from beamtree._table import files

    (here / "data.csv").write_text(TEXT)
    read = files.read_training_rows

    def signalled(*arguments, **options):
        os.kill(os.getpid(), signal.SIGTERM)
        return read(*arguments, **options)

    monkeypatch.setattr(files, "read_training_rows", signalled)
    assert run("fit data.csv --target y --cv 2 --save m.json") == 143
    output = capsys.readouterr()
    assert output.out == ""
    assert output.err == (
        "beamtree: stopped before the cross validation was complete, so there is no tree\n"
    )
    assert not (here / "m.json").exists()


def test_reading_counts_towards_the_time(here, capsys, monkeypatch):
    from beamtree import Search
    from beamtree.cli import fit as command

    (here / "data.csv").write_text(TEXT)
    clock, limits, search = iter([0.0, 100.0]), [], Search.run
    monkeypatch.setattr(command, "perf_counter", lambda: next(clock))

    def noted(self, time_limit):
        limits.append(time_limit)
        return search(self, time_limit)

    monkeypatch.setattr(Search, "run", noted)
    assert run("fit data.csv --target y --depth 4 --time 60") == 0
    assert limits == [0.0]
    assert capsys.readouterr().err == ""
