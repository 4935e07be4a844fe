import warnings

import numpy as np

warnings.simplefilter("ignore")
a = np.arange(12).reshape(3, 4)
f = a * 0.5
u = np.array([250, 10], dtype=np.uint8)
x = np.random.default_rng(0).normal(size=(4, 3))
y = np.random.default_rng(1).random(7)
b = a > 5
s = np.array(["cat", "dog", "cat"])


def show(expression):
    try:
        print(expression, "->", repr(eval(expression)))
    except Exception as error:
        print(expression, "!!", type(error).__name__, error)


for line in """
np.take_along_axis(x,np.argsort(x,axis=1),axis=1)
np.searchsorted([1,3,5],[2,5])
np.isin([1,2,3],[2])
np.setdiff1d([1,2,3],[2])
np.count_nonzero([0,1,2])
np.average([1,2,3],weights=[3,2,1])
np.ptp([1,5])
np.gradient([1,4,9.])
np.trapezoid([1,2,3])
np.logical_and([True,False],True)
~b[0]
b&True
a&1
a<<1
a^a
np.any(b)
np.all(b)
hash(np.int64(3))==hash(3)
{np.int64(1):2}[1]
np.int64(3)==3
np.float32(0.1)==0.1
round(np.float64(2.567),1)
round(np.float32(2.567),1)
abs(np.int64(-3))
max(np.array([1,3,2]))
sum(np.array([1,2]))
sorted(np.array([3,1]))
list(np.array([1.5,2]))
[v for v in np.arange(2)]
str(np.float32(0.1)),repr(np.float32(0.1))
f"{np.float32(0.1)} {np.int64(3)} {np.array([1,2])} {np.float32(3.14159):.3f} {np.float64(2):>8}"
list(np.ndindex(2,2))
np.shape([[1,2]]), np.size([1,2]), np.ndim(3)
np.ix_([0,1],[1,2])[0].shape
np.unravel_index(5,(2,3))
np.argmax(a),np.unravel_index(np.argmax(a),a.shape)
np.lexsort(([1,0],[0,0]))
np.select([a>8,a>4],[1,2],0)
np.kron([1,2],[1,1])
np.cross([1,0,0],[0,1,0])
np.heaviside([-1,0,1],0.5)
np.square([2,3])
np.hypot(3,4)
np.float64(5)//2, np.float64(5)%3, 5//np.float64(2), 2**np.float64(3), np.float64(2)**0.5
np.array([3,1,2]).argsort()[::-1]
np.array([[3,1],[2,4]]).max(axis=0)[::-1]
a.flatten().base is None
a.reshape(-1).base is a
np.asarray(a) is a
np.array([1,2,3],ndmin=2)
np.frombuffer(b'\\\\x01\\\\x02',dtype=np.uint8)
np.fromstring('1 2 3',sep=' ')
np.sum(a, axis=-1)
np.sum([[1,2],[3,4]],axis=0)
np.sum(x**2)
np.sum(np.exp(x)/np.sum(np.exp(x),axis=1,keepdims=True),axis=1)
(x-x.mean(0))/x.std(0)
np.eye(3)[np.array([0,2,1])]
1/(1+np.exp(-x[0]))
x@x.T
x.T@np.array([1,0,1,0])
np.ones(3)*np.nan
np.inf-np.inf
np.float64(1)/0
np.array([1,2])/np.array([0,1])
np.arange(6).reshape(2,3)*np.arange(3)
np.arange(2)[:,None]*np.arange(3)
np.mean(a,axis=(0,1))
np.amax(a)
np.array([True,False])+1
np.array([True])+np.array([True])
np.array([True])-np.array([True])
np.uint16(5)+1
np.array([1],dtype=np.uint16)*70000
np.array([2**62])*4
""".strip().split("\n"):
    show(line)
