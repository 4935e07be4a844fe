import copy
import pickle
import warnings

import numpy as np
import torch

warnings.simplefilter("ignore")


def show(expression):
    try:
        print(expression, "->", repr(eval(expression)))
    except Exception as error:
        print(expression, "!!", type(error).__name__, error)


a = np.arange(6.0).reshape(2, 3)
t = torch.from_numpy(a)
for line in """
hasattr(np,'nope')
np.zeros(3)[5]
np.zeros((2,2))[0,5]
copy.deepcopy(a)
pickle.loads(pickle.dumps(a))
pickle.loads(pickle.dumps(np.float32(1.5)))
a.sum(dtype=np.float32)
a.astype(np.float32).sum()
np.array([0.1]*10,dtype=np.float32).sum()
np.array([0.1]*1000,dtype=np.float16).mean()
np.ones(5,dtype=np.float16).sum()
t.numpy().sum(axis=1)
torch.tensor(a.sum())
torch.tensor([a.sum(),1])
torch.tensor(np.array(5))
torch.tensor(a.tolist())
torch.as_tensor(a).dtype
torch.from_numpy(a[:,1:]).stride()
torch.from_numpy(a.T).shape
torch.from_numpy(a)[np.array([0]),np.array([1])]
torch.utils.data.default_collate([np.ones(2),np.zeros(2)]) if hasattr(torch.utils.data,'default_collate') else 0
torch.utils.data.default_collate([np.float64(1),np.float64(2)])
torch.utils.data.default_collate([np.int64(1),np.int64(2)])
torch.utils.data.default_collate([(np.ones(1),1),(np.ones(1),2)])
torch.utils.data.default_collate([np.array(['a'])])
torch.manual_seed(int(np.int64(3))).initial_seed()
torch.randn(np.int64(2)).shape
torch.arange(np.int64(3))
torch.full((2,),np.int64(3))
torch.linspace(np.float64(0),1,3)
torch.ones(2)*np.float32(2)
torch.ones(2).add(np.float64(1))
torch.ones(2)**np.float64(2)
torch.clamp(torch.ones(2),max=np.float64(.5))
torch.zeros(3).reshape(np.int64(3),1).shape
torch.nn.Linear(np.int64(2),3)
torch.nn.Dropout(np.float64(.5))
torch.optim.SGD([torch.nn.Parameter(torch.ones(1))],lr=np.float64(.1)).param_groups[0]['lr']
torch.where(torch.ones(2)>0,np.float64(1),0.)
torch.equal(torch.ones(2,dtype=torch.float64),torch.from_numpy(np.ones(2)))
torch.nn.functional.softmax(torch.from_numpy(a),1).numpy().sum(1)
torch.max(t).item()==a.max()
float(t.mean())==a.mean()
np.float32(2.5)//1, np.float32(2.5)%1, -np.float32(1), abs(np.float32(-1)), int(np.float32(2.7)), round(np.float32(2.5))
np.int32(5)/2, np.int32(5)//2, np.int32(5)%3, 2**np.int32(3), np.int64(5)&3, ~np.int64(5), np.int64(5)<<1, -np.int64(3)
np.float64(1.5)==1.5, np.float64('nan')!=np.float64('nan'), np.int64(3)>2, np.int64(3) in [3], np.float32(1) in {1.0}
np.float32('1.5'), np.int64('7'), np.float64('inf'), np.int32(3.7), np.bool_(0), np.bool_('a')
sum([np.float32(1),np.float32(2)]), max([np.int64(1),np.int64(5)]), sorted([np.float64(2),np.float64(1)])
'%d %s %.3f' % (np.int64(3), np.float32(.5), np.float64(1/3))
'{:>6} {:5.1f} {:,}'.format(np.int64(3),np.float32(2.25),np.int64(1000000))
np.arange(3).mean(), np.arange(3).std(), np.arange(4).var()
np.int64(3).item(), type(np.float32(1).item()), np.float64(1).dtype, np.int64(1).shape, np.float32(1).nbytes
type(np.arange(3)[0]), type(np.arange(3.)[0]*2), type(np.float64(1)+1), type(1+np.int64(1)), type(np.float32(1)*2.0), type(np.int64(1)*2.0)
isinstance(np.bool_(True),bool), np.bool_(True)&False, not np.bool_(False), np.bool_(True)+1, True+np.bool_(True)
np.array([1,2,3]).tolist()==[1,2,3], np.array([[1]]).squeeze().shape, np.array([1,2])[0].dtype
[x for x in np.ones((2,2))]
dict(zip(['a','b'],np.array([1.5,2])))
np.concatenate(([1],np.arange(2),[3.5]))
np.array([3,4])[np.array([0,1,1])], np.array([3,4])[[1]], np.arange(10)[-3:], np.arange(10)[::3], np.arange(10)[8:2:-2]
np.arange(24).reshape(2,3,4)[:,1,[0,2]], np.arange(24).reshape(2,3,4)[[0,1],:,1].shape, np.arange(24).reshape(2,3,4)[0,[1,2],[0,3]]
np.sum([True,False,True]), np.mean([True,False]), np.array([True,False]).sum(dtype=float)
np.max([[1,5],[7,2]],axis=0), np.min([3,1]), np.argmax([[1,5],[7,2]],axis=0), np.maximum.reduce([[1,5],[7,2]]), np.minimum.accumulate([3,1,2])
np.abs(np.array([-1,2])).max(), np.linalg.norm(np.array([[1.,2],[3,4]]),axis=0,keepdims=True), np.linalg.norm([[1.,2],[3,4]],2), np.linalg.norm([1.,-2],1), np.linalg.norm([1.,-2],np.inf)
np.exp(710.), np.log(0), np.float64(0)/0, np.array([1.])/0, np.sqrt(np.array([-1.]))
np.finfo(float).eps, np.finfo(np.float32).max, np.iinfo(np.int32), np.finfo(np.float32)
np.ones((2,3)) @ np.ones(3), np.ones(3) @ np.ones(3), np.dot(2,np.ones(2)), np.array([[1,2]]).dot([[1],[2]])
np.trace(np.eye(3)), np.einsum('ii',np.eye(3)), np.einsum('i,j->ij',[1,2],[3,4]), np.tensordot(np.ones((2,3)),np.ones((3,2)),1)
np.triu(np.arange(9).reshape(3,3)), np.triu_indices(3,1), np.diag(np.ones(2),1)
str(a.dtype), a.dtype.name, a.dtype.kind, a.dtype.itemsize, a.dtype.str, np.dtype(float)==float, a.dtype==float, a.dtype in (np.float32,np.float64), a.dtype.type
np.where([True,False],[1,2],[3,4]), np.where(np.array([1,0]),'y','n'), np.select([np.array([True,False])],[1],2)
np.unique([[1,2],[1,2],[3,4]],axis=0), np.unique([1.5,1.5,np.nan,np.nan]), np.unique(np.array([True,False]))
np.digitize([1,5],[0,3,6]), np.searchsorted([1,2,3],2.5), np.histogram([1,2,2,5],[0,2,4,6]), np.interp(2.5,[1,2,3],[3,2,0])
np.meshgrid([1,2],[3,4],indexing='ij'), np.indices((2,2)).shape, np.ogrid[0:2,0:3][1].shape
np.apply_along_axis(np.sum,0,a), np.vectorize(lambda x:x+1)(a)[0], np.fromfunction(lambda i,j:i+j,(2,2)), np.fromiter((i*i for i in range(3)),dtype=int)
np.roll(a,1,axis=1), np.flip(a,0), np.fliplr(a), np.moveaxis(np.zeros((1,2,3)),0,-1).shape, np.atleast_2d([1,2]), np.ravel([[1,2]])
""".strip().split("\n"):
    show(line)
