"""Small tools that are independent of trees and tables.

`validation` checks parameters, `suggestions` completes errors about unknown names, `optional`
imports packages that need not be installed, `scalars` converts values of NumPy, and `atomic_files`
writes files completely or not at all.
"""
