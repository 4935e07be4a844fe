import io
import os
import tempfile

import numpy as np

X = np.random.RandomState(0).randn(3, 2)
with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "x.csv")
    np.savetxt(path, X, delimiter=",", fmt="%.3f", header="a,b")
    print(open(path).read())
    print(np.loadtxt(path, delimiter=","))
    np.save(os.path.join(folder, "x"), X)
    print(np.array_equal(np.load(os.path.join(folder, "x.npy")), X))
    np.savez(os.path.join(folder, "both.npz"), a=X, b=np.arange(3))
    both = np.load(os.path.join(folder, "both.npz"))
    print(both.files, both["b"])
print(np.genfromtxt(io.StringIO("1,2\n3,\n"), delimiter=","))
print(np.loadtxt(io.StringIO("1 2\n3 4"), dtype=int), np.loadtxt(io.StringIO("# no\n5 6"), usecols=1))
print(np.fromstring("1 2 3", sep=" "))
out = io.StringIO()
np.savetxt(out, np.arange(4).reshape(2, 2), fmt="%d")
print(out.getvalue())
