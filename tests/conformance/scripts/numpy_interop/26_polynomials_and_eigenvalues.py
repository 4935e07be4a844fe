import numpy as np

p = np.poly1d([1, -3, 2])
q = np.poly1d([1, 1])
print(p)
print(repr(p), p(3), p.order, p == np.poly1d([1, -3, 2]))
print(p * q)
print(p + q, p - 1, p / 2, p ** 2)
print(p.deriv(), p.integ(), p(q))
print(np.poly1d([1.0, 2.5, 0, -0.1]), np.poly1d([1, 2], True), np.poly1d([1, 2, 3], variable="z"))
print(np.polydiv([1, -3, 2], [1, -1]), np.polysub([1, 2], [3, 4, 5]), np.polyint([3, 2, 1], k=5), np.polyder([3, 2, 1], 2))
print(np.roots([1, -6, 11, -6]).round(6), np.roots([2, 0]), np.roots([0, 1, -2, 0]), np.poly([2, 3]))

x = np.linspace(0, 1, 6)
fit = np.polyfit(x, 3 * x**2 - x + 1, 2)
print(np.poly1d(fit.round(3)))

values, vectors = np.linalg.eig(np.array([[0.9, 0.1], [0.5, 0.5]]))
print(values, vectors)
print(np.linalg.eigvals([[1.0, 2.0], [3.0, 4.0]]))
print(np.linalg.lstsq([[1.0, 1], [1, 2], [1, 3]], [1.0, 2, 2], rcond=None)[2])
try:
    np.linalg.solve([[1.0, 2], [3, 4]], [1, 2, 3])
except ValueError as e:
    print(e)
