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
u+10
u+np.uint8(10)
u+300
u+1.5
u*2
-u
u.astype(int)-300
a/0
a//0
a%0
np.float32(1)+1.5
np.float32(1)+np.float64(1.5)
np.int8(100)+np.int8(100)
np.int32(1)/np.int32(2)
np.int64(2)**-1
np.int64(2)**3
a**-1
np.arange(3,dtype=np.float32)*2.5
np.arange(3,dtype=np.int32)+np.arange(3)
np.arange(3,dtype=np.int8)+np.float32(1)
a+f
a[5]
a[0,9]
a[1,2,3]
a['x']
a[1.5]
a[[0,1],[1,2]]
a[[True,False,True]]
a[[True,False]]
a[:,[0,2]]
a[::-1]
a[::-1,::2]
a[1:][::-1]
a[...,0]
a[None,:,0]
a[a%2==0]
a[-1][::-1].tolist()
a.sum()
a.sum(axis=0)
a.sum(axis=(0,1))
a.sum(1,keepdims=True)
a.sum(axis=5)
f.mean()
x.mean()
x.std()
""".strip().split("\n"):
    show(line)
