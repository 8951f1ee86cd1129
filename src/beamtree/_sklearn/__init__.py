"""The parts of the estimators that follow scikit-learn.

During a fit, `callbacks` calls the callbacks of scikit-learn, and `attributes` lists the attributes
that a search leaves behind, among them a tree whose probabilities `leaf_smoothing` smoothes. A
fitted classifier predicts with the methods of `predictor`, and shows and exports its tree with the
methods of `tree_export`.
"""
