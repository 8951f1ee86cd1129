"""
The first tree
==============

Learn the best tree of depth 3 for a table, and read it: as a line that says what is proved, as
sentences, and as a picture.
"""

from sklearn.datasets import load_breast_cancer

from beamtree import OptimalTreeClassifier

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
clf = OptimalTreeClassifier(max_depth=3).fit(X, y)
print(clf.proof_)

# %%
# No tree of depth 3 makes fewer mistakes on these rows, whatever its columns and thresholds are.
# Each leaf is a sentence with the rows that it has and the share of them that it gets right.
for rule in clf.leaf_rules():
    print(rule)

# %%
# The picture has the same tests. A box has the colour of its class, and is paler if fewer of its
# rows belong to the class.
ax = clf.plot()
