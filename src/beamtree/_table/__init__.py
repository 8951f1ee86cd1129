"""From a table of any type to the rows of a search: the ranks of the values of each column.

The modules are used in this order:

1. `table` opens a table, and `values` reads its columns as numbers or categories. `read_times`
   reads dates, times of day, durations and periods, which `times` defines. `features` opens the
   table of an estimator. `files` reads a table from a file, with `csv` and `text_values` if it is
   text, and with `parquet`.
2. `labels` and `row_weights` check the labels and the weights of the rows.
3. `learn_tests` learns the `columns` and their `orders`, whose cuts are the tests of a search, with
   thresholds from `thresholds`, `time_thresholds` or `boosted_thresholds`. `ranks` ranks the
   values.
4. `training_data` collects the ranks, the labels and the weights.

`split_tests` has tests one by one, and `wording` puts them into words, with `time_words`.
"""
