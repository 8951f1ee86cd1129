"""Certificates: proofs of lower bounds that another program can check.

docs/certificates.md describes the file. `claims` makes the steps of a proof, `header` states the
problem that it is about, and `certificate` writes both.
"""
