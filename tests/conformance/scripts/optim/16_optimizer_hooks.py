import torch
from torch import nn, optim
from torch.optim.optimizer import register_optimizer_step_post_hook

torch.manual_seed(0)
net = nn.Linear(2, 1)
sgd = optim.SGD(net.parameters(), lr=0.1)
before = sgd.register_step_pre_hook(lambda o, args, kwargs: print("before", type(o).__name__, len(args), kwargs))
after = sgd.register_step_post_hook(lambda o, args, kwargs: print("after", type(o).__name__))
net(torch.ones(1, 2)).sum().backward()
sgd.step()
before.remove()
sgd.step(lambda: torch.tensor(1.0))
every = register_optimizer_step_post_hook(lambda o, args, kwargs: print("any", type(o).__name__))
optim.Adam(net.parameters()).step()
every.remove()
sgd.register_state_dict_post_hook(lambda o, state: print("saved", list(state)))
sgd.register_load_state_dict_pre_hook(lambda o, state: print("loading"))
sgd.register_load_state_dict_post_hook(lambda o: print("loaded"))
sgd.load_state_dict(sgd.state_dict())
scheduler = optim.lr_scheduler.StepLR(sgd, 2)
print(scheduler.state_dict())
print(optim.lr_scheduler.ReduceLROnPlateau(sgd).state_dict())
