import warnings

import numpy as np
import torch

warnings.simplefilter("ignore")
t = torch.tensor([1.0, 2.0])
a = np.array([1.0, 2.0])
i = np.array([1, 0])


def show(expression):
    try:
        print(expression, "->", repr(eval(expression)))
    except Exception as error:
        print(expression, "!!", type(error).__name__, error)


for line in """
t+a
a+t
t*a
a*t
t-a
a@t
t==a
a==t
a<t
t+np.float64(2)
np.float64(2)*t
np.float32(2)+t
np.int64(2)*t
np.float64(2)==t
t.numpy()+t
np.sqrt(t)
np.add(t,t)
np.add(t,a)
np.exp(t)
np.argmax(t)
np.concatenate([t,t])
np.array([t,t])
np.array([t[0],t[1]])
np.where(t>1,1,0)
np.abs(t)
torch.tensor([np.float64(1.5)])
torch.tensor([np.float64(1.5),2])
torch.tensor([np.int32(1)])
torch.tensor([np.int64(1),np.int64(2)])
torch.tensor([a,a])
torch.tensor([[np.float32(1.5)]])
torch.tensor(np.bool_(True))
torch.tensor([np.bool_(True)])
torch.as_tensor([a,a])
torch.tensor(a,dtype=torch.float32)
torch.as_tensor(a,dtype=torch.float32)
torch.Tensor(a)
torch.FloatTensor(a)
torch.LongTensor(i)
t[i]
t[np.array([True,False])]
t[[np.int64(1)]]
t.new_tensor(a)
torch.zeros(2,3).numpy().astype('float64')
torch.full((2,),np.float32(1.5))
torch.full((2,),np.float64(1.5))
torch.zeros(np.int64(2),np.int64(1))
torch.zeros(tuple(np.array([2,1])))
torch.zeros(a.shape)
torch.add(t,a)
torch.allclose(t,a)
torch.stack([t,a])
torch.sum(a)
torch.from_numpy(np.float64(3))
torch.from_numpy(np.array([1],dtype='>i4'))
torch.from_numpy(np.array(['a']))
torch.tensor(np.array([1,'a'],dtype=object))
t.numpy(force=True)
torch.ones(2,requires_grad=True).numpy(force=True)
np.array(torch.ones(2,requires_grad=True))
np.asarray(torch.ones(2,requires_grad=True))
torch.ones(2,dtype=torch.bfloat16).numpy()
np.asarray(torch.ones(2,dtype=torch.bfloat16))
t.__array__()
t.__array__(np.float64)
np.asarray(t,dtype=np.float64)
float(np.float32(2)), int(np.int64(3)), [1,2,3][np.int64(1)]
list(range(np.int64(3)))
t.item()==np.float32(1)
np.float32(1)==t[0]
t[0]*np.float64(2)
np.float64(2)+t[0]
a.dot(t)
np.dot(t,t)
np.dot(a,t)
a[torch.tensor([1,0])]
a[torch.tensor(1)]
a[torch.tensor([True,False])]
np.allclose(t,a)
np.array_equal(t,a)
np.testing.assert_allclose(t,a)
torch.tensor(3)+np.array([1,2])
np.array([1,2])+torch.tensor(3)
np.unique(t)
torch.nn.functional.one_hot(torch.from_numpy(i))
torch.eye(2)[i]
len(t.numpy())
t.numpy().tolist()
np.argsort(t)
np.sort(t)
np.stack([t,t])
np.vstack([t,t])
np.zeros_like(t)
np.clip(t,0,1)
np.round(t)
np.transpose(torch.ones(2,3)).shape
np.reshape(t,(2,1)).shape
np.squeeze(t[None])
np.linalg.norm(t)
np.maximum(t,1.5)
np.log(t)
np.power(t,2)
np.minimum(t,a)
np.mean([t,t])
np.median(t)
np.cumsum(t)
np.isnan(t)
np.array(t)
np.array(t,dtype=int)
np.float32(t[0])
np.float64(torch.tensor(2.5))
np.int64(torch.tensor(2))
np.full((2,),t[0])
np.array([1.,2.])*torch.tensor(2.)
t.add(a)
t.add_(a)
t.copy_(a)
t.__setitem__(0,np.float64(9))
t.__setitem__(slice(None),a)
t
torch.nn.Parameter(torch.from_numpy(a))
torch.is_tensor(a)
np.ones(2)/torch.ones(2)
torch.from_numpy(a).numpy() is a
-np.array([True])
np.arange(3)-torch.ones(3)
np.arange(3)**torch.ones(3)
torch.ones(3)**np.arange(3)
torch.ones(3)-np.arange(3)
torch.ones(3)/np.arange(1,4)
torch.ones(3)//np.arange(1,4)
torch.ones(3)%np.arange(1,4)
np.arange(3)<torch.ones(3)
np.arange(3)>=torch.ones(3)
np.float64(2)<t
np.float64(3)-t
np.float64(3)/t
np.int64(3)-t
np.int64(3)-torch.tensor([1])
np.float32(3)**t
""".strip().split("\n"):
    show(line)
