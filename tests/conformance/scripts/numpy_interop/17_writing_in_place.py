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


def run(statement):
    try:
        exec(statement, globals())
    except Exception as error:
        print(statement, "!!", type(error).__name__, error)


for line in """
a[0]=np.array([1,2,3])
a[0,0]=1.9; print(a[0,0])
a[a>9]=0; print(a)
a[:,0]=[7,8,9]; print(a)
a[a>5]=[1,2]
a[::-1]=a.copy(); print(a)
q=a[::-1]; q[0]=0; print(a)
a+=1; print(a)
a+=1.5
a/=2
f+=a; print(f)
f[1:,::2]*=10; print(f)
np.add.at(f,([0,0],[1,1]),5); print(f)
r=np.broadcast_to([1,2],(2,2)); r[0]=1
z=np.zeros(3); z[1]='a'
z=np.zeros(3,dtype=int); z[0]=np.nan
z=np.zeros((2,2)); z[0]=5; z[:,1]=[1,2]; print(z)
z.fill(3); print(z)
z.shape=(4,); print(z)
np.fill_diagonal(a,-1); print(a)
o=np.zeros(3); np.add([1,2,3],1,out=o); print(o)
s[0]='elephant'; print(s)
x.sort(); print(x)
i=np.arange(5); i[[0,0,1]]+=1; print(i)
w=np.arange(10)[2:8:2]; w[0]=100; print(w)
for i,row in enumerate(a): print(i,row)
a,b=np.array([1,2]); print(a,b)
np.testing.assert_allclose([1,2],[1,2.1])
np.testing.assert_array_equal([1,2],[1,3])
del z[0]
""".strip().split("\n"):
    run(line)
