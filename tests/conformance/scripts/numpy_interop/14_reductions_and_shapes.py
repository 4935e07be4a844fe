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
x.std(axis=0,ddof=1)
x.var(ddof=1)
x.sum()
x.sum(axis=0)
y.sum()
y.mean()
np.mean([1,2,3,4])
np.mean([])
np.max([])
a.max(axis=1)
a.argmax(axis=1)
np.argmin(x)
b.sum()
b.mean()
b.any(axis=1)
np.cumsum(a,axis=0)
a.cumprod()
np.diff([1,4,9])
np.prod([1,2,3])
np.median(x,axis=0)
np.percentile(y,[25,50,75])
np.quantile(x,0.3,axis=1)
np.sort(x,axis=0)
np.argsort(-y)
np.unique([3,1,1,2],return_counts=True)
np.unique(s,return_counts=True)
np.unique(s,return_inverse=True)
s=='cat'
s!='cat'
s[s=='cat']
s+'x'
np.where(s=='cat',1,0)
np.where(a>5)
np.where(a>5,a,-1.0)
np.where(a>5,'big','small')
np.argwhere(a>9)
np.nonzero([0,1,2])
np.concatenate([a,a],axis=1).shape
np.concatenate([a,f])[0]
np.concatenate([a,[1,2]])
np.concatenate([a,np.ones((3,3))])
np.vstack([[1,2],[3,4]])
np.hstack([[1,2],[3.5]])
np.column_stack([[1,2],[3,4]])
np.split(np.arange(6),3)
np.array_split(np.arange(7),3)
np.split(np.arange(7),3)
a.reshape(5,5)
a.reshape(-1,5)
a.reshape(2,-1)
a.T.reshape(-1)
a.swapaxes(0,1).shape
np.expand_dims(a,-1).shape
np.squeeze(a[None],1)
np.transpose(a,(0,0))
np.roll(np.arange(5),2)
np.tile([1,2],(2,2))
np.repeat([1,2],2)
np.repeat(a,2,axis=0).shape
np.pad([1,2],(1,2))
np.pad(np.ones((2,2)),1,mode='edge').shape
np.flip([1,2,3])
np.rot90(np.arange(4).reshape(2,2))
np.append([1,2],3)
np.insert([1,2,3],1,9)
np.delete([1,2,3],1)
np.clip([1,5,10],2,6)
np.round([1.234,2.5,3.5],1)
np.round(2.5)
np.floor([1.5,-1.5])
np.ceil(1.2)
np.sign([-2,0,3])
np.abs([-1.5,2])
np.sqrt([4,9])
np.sqrt(2)
np.sqrt(-1)
np.log([1,np.e])
np.exp([0,1])
np.sin(np.pi/2)
np.tanh([0.5])
np.power(2,[1,2,3])
np.maximum([1,5],[3,2])
np.add.reduce([1,2,3])
np.add.outer([1,2],[10,20])
np.multiply.accumulate([1,2,3])
np.dot([1,2],[3,4])
np.dot(a,a)
a@a.T
a@a
np.outer([1,2],[3,4])
np.inner([1,2],[3,4])
np.einsum('ij,kj->ik',a,a)
np.linalg.norm([3,4])
np.linalg.norm(x,axis=1)
np.linalg.inv([[2.,0],[0,4]])
np.linalg.inv([[1,2],[2,4]])
np.linalg.det([[1.,2],[3,4]])
np.linalg.solve([[3,1],[1,2]],[9,8])
np.linalg.eigh([[2.,0],[0,3]])
np.linalg.matrix_rank(np.eye(3))
np.linalg.lstsq([[1.,1],[1,2],[1,3]],[1,2,2],rcond=None)[0]
np.polyfit([0,1,2],[1,3,5],1)
np.polyval([2,1],3)
np.convolve([1,2,3],[0,1,0.5])
np.convolve([1,2,3,4],np.ones(2)/2,mode='valid')
""".strip().split("\n"):
    show(line)
