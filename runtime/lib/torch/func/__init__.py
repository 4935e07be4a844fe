"""Function transforms: `grad`, `vmap`, `jacrev` and their relatives take a function and give another."""

from torch.func._grad import linearize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp
from torch.func._module import functional_call, stack_module_state
from torch.func._vmap import vmap
