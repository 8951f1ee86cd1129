"""From a table of any type to the rows of a search: zeros and ones that say which tests fail.

The modules are used in this order:

1. `table` opens a table (`csv` reads one from a file, `features` opens that of an estimator), and
   `values` reads its columns as numbers or categories.
2. `labels` and `row_weights` check the labels and the weights of the rows.
3. `learn_tests` learns the `columns` and their `split_tests`, with thresholds from `thresholds` or
   `boosted_thresholds`.
4. `training_data` evaluates the tests for all rows.

`wording` puts tests into words.
"""
