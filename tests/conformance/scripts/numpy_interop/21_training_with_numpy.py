import numpy as np, torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, Dataset
np.random.seed(0); torch.manual_seed(0)
# moons
n=50
th=np.random.uniform(0,np.pi,n)
X=np.vstack([np.c_[np.cos(th),np.sin(th)], np.c_[1-np.cos(th),0.5-np.sin(th)]])+np.random.normal(scale=0.1,size=(2*n,2))
y=np.array([0]*n+[1]*n)
idx=np.random.permutation(len(X)); X,y=X[idx],y[idx]
split=int(0.8*len(X)); Xtr,Xte,ytr,yte=X[:split],X[split:],y[:split],y[split:]
mu,sd=Xtr.mean(0),Xtr.std(0); Xtr=(Xtr-mu)/sd; Xte=(Xte-mu)/sd
print(mu,sd,Xtr[:3],ytr[:10])
ds=TensorDataset(torch.tensor(Xtr,dtype=torch.float32),torch.from_numpy(ytr))
dl=DataLoader(ds,batch_size=16,shuffle=True)
model=nn.Sequential(nn.Linear(2,8),nn.ReLU(),nn.Linear(8,2)); opt=torch.optim.SGD(model.parameters(),lr=0.1); lossf=nn.CrossEntropyLoss()
hist=[]
for ep in range(3):
    L=[]
    for xb,yb in dl:
        opt.zero_grad(); l=lossf(model(xb),yb); l.backward(); opt.step(); L.append(l.item())
    hist.append(np.mean(L)); print(f"epoch {ep} loss {np.mean(L):.4f} ± {np.std(L):.4f}")
with torch.no_grad(): pred=model(torch.tensor(Xte,dtype=torch.float32)).argmax(1).numpy()
acc=(pred==yte).mean(); print("acc",acc, type(acc).__name__, pred, yte)
cm=np.zeros((2,2),dtype=int)
for t,p in zip(yte,pred): cm[t,p]+=1
print(cm, np.diag(cm)/cm.sum(1)); np.add.at(cm,(yte,pred),1); print(cm)
ma=np.convolve(hist,np.ones(2)/2,mode='valid'); print(ma.shape)
oh=np.zeros((len(yte),2)); oh[np.arange(len(yte)),yte]=1; print(oh[:3], np.eye(2,dtype=np.float32)[yte][:2])
class D(Dataset):
    def __init__(s): s.x=np.arange(10,dtype=np.float32).reshape(5,2); s.y=np.arange(5)
    def __len__(s): return 5
    def __getitem__(s,i): return s.x[i], s.y[i]
for xb,yb in DataLoader(D(),batch_size=2): print(xb,yb,xb.dtype,yb.dtype)
grid=np.meshgrid(np.linspace(-1,1,3),np.linspace(-1,1,3)); pts=np.c_[grid[0].ravel(),grid[1].ravel()]; print(pts.shape)
Z=model(torch.tensor(pts).float()).argmax(dim=1).reshape(grid[0].shape); print(Z)
# char vocab
text="hello world"; chars=sorted(set(text)); stoi={c:i for i,c in enumerate(chars)}
enc=np.array([stoi[c] for c in text],dtype=np.int64); print(enc, torch.from_numpy(enc[:5]))
ix=np.random.randint(len(enc)-4,size=3); print(np.stack([enc[i:i+4] for i in ix]))
probs=np.exp(enc-enc.max())/np.sum(np.exp(enc-enc.max())); print(probs.round(3), np.random.choice(len(probs),p=probs))
sig=np.sin(np.linspace(0,2*np.pi,20))+0.1*np.random.randn(20); print(sig)
seqs=np.array([sig[i:i+5] for i in range(len(sig)-5)]); print(seqs.shape, torch.FloatTensor(seqs).unsqueeze(-1).shape)
img=np.random.randint(0,256,(4,4,3),dtype=np.uint8); print(img[:,:,0]); im=img.astype(np.float32)/255.0; print(im.mean(axis=(0,1)), im.transpose(2,0,1).shape)
print(torch.from_numpy(im.transpose(2,0,1)).shape, torch.from_numpy(img).permute(2,0,1).float().div(255).mean())
print(np.array([t.item() for t in torch.arange(3)]), np.array(torch.eye(2)), [float(v) for v in np.arange(2)])
true_w=np.array([2,-3.4]); b=4.2; Xd=np.random.normal(0,1,(100,2)); yd=Xd@true_w+b+np.random.normal(0,0.01,100); print(yd[:3]); sol,res,rk,sv=np.linalg.lstsq(np.c_[Xd,np.ones(100)],yd,rcond=None); print(sol.round(2),rk)
