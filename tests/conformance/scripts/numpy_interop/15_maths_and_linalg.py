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
np.convolve([1,2,3,4],[1,1,1],'same')
np.correlate([1,2,3],[0,1,0.5])
np.cov([1.,2,3],[1,2,4])
np.corrcoef([1.,2,3],[1,2,4])
np.histogram([1,2,1,3],bins=3)
np.histogram(y,bins=4)
np.bincount([0,1,1,3])
np.digitize([0.5,1.5],[0,1,2])
np.interp([0.5,1.5],[0,1,2],[0,10,20])
np.linspace(0,1,3,retstep=True)
np.logspace(0,2,3)
np.arange(0,1,0.1)
np.arange(5.)
np.arange(1,10,3)
np.eye(2,3,1)
np.diag([1,2])
np.diag(a)
np.trace(a)
np.tril(np.ones((2,2)))
np.full((2,),3.5)
np.full(2,1)
np.zeros_like(a,dtype=float)
np.ones((2,),dtype=bool)
np.empty((0,2)).shape
np.meshgrid([1,2],[3,4,5])[1]
np.mgrid[0:2,0:2]
np.r_[1,2,3:5]
np.c_[[1,2],[3,4]]
np.isclose(1.0,1.0+1e-10)
np.allclose([1,2],[1,2.1])
np.array_equal([1,2],[1,2])
np.isnan([1,np.nan])
np.nan_to_num([np.nan,np.inf])
np.nanmean([1,np.nan,3])
np.nansum([1,np.nan])
np.array([[1,2],[3]])
np.array([1,'a'])
np.array([1,2.5,True])
np.array([None,1])
np.array([[1,2],[3,4]],dtype=np.float32)
np.array(5).shape
np.array((1,2))
np.array(range(3))
np.array([np.array([1,2]),np.array([3,4])])
np.array([300],dtype=np.uint8)
np.array([1.7],dtype=int)
np.array(['1','2']).astype(int)
np.array(['1.5']).astype(float)
np.array([1,2]).astype(str)
np.array([1.5,2]).astype(str)
np.array([0,1,2]).astype(bool)
np.array([1.9,-1.9]).astype(np.int32)
a.dtype==np.int64
a.dtype=='int64'
np.issubdtype(a.dtype,np.integer)
np.dtype('float128x')
np.finfo(np.float32).eps
np.iinfo(np.int8).max
np.can_cast(np.int64,np.float32)
isinstance(a,np.ndarray)
isinstance(np.float32(1),np.floating)
isinstance(np.int64(1),np.integer)
isinstance(np.float64(1),float)
isinstance(a[0,0],np.int64)
bool(a)
bool(np.array([]))
bool(np.array([1]))
int(np.array([1]))
float(np.array(2.5))
a+np.ones((2,2))
a==np.ones(5)
len(np.array(5))
np.foo
np.float
np.int
a.foo
a.flags.writeable
np.broadcast_to([1,2],(2,2))
a.item(3)
a.item()
a.tolist()
a.nbytes
a.strides
a.T.strides
a[::-1].strides
x.round(2)
x.argmax(axis=1)
x.ravel()[:2]
np.apply_along_axis(lambda r: r.sum(),1,a)
np.take(a,[0,2],axis=1)
""".strip().split("\n"):
    show(line)
