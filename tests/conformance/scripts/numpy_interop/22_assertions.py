import numpy as np
for a,b in (([1,2],[1,3]),([1.,2],[1,2.1]),([1,2,3],[1,2]),(1.0,1.1),([[1.,2],[3,4]],[[1,2],[0,0]]),(np.arange(20),np.arange(20)*2)):
    for f in (np.testing.assert_allclose,np.testing.assert_array_equal,np.testing.assert_almost_equal,np.testing.assert_equal):
        try: f(a,b)
        except AssertionError as e: print(f.__name__,e)
try: np.testing.assert_allclose([1.,2],[1,3],rtol=1e-3,atol=1e-4,err_msg='hey')
except AssertionError as e: print(e)
