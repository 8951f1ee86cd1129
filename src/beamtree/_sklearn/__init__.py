"""The parts of the classifiers that follow scikit-learn, as mixins.

`callbacks` announces the progress of a fit to the callbacks of scikit-learn, `predictor` predicts
with the fitted tree, and `shown` has the methods that show and export it.
"""
