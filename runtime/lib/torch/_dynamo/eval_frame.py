"""The module that `torch.compile` gives for a module."""

from torch.nn.modules.module import Module


class OptimizedModule(Module):
    """Calls the module it stands for, `_orig_mod`, whose parameters it has under that name."""

    _opt_mod_attributes = {"_orig_mod"}

    def __init__(self, mod, dynamo_ctx=None):
        super().__init__()
        self._orig_mod = mod

    def forward(self, *args, **kwargs):
        return self._orig_mod(*args, **kwargs)

    def __getattr__(self, name):
        if name == "_orig_mod":
            return self.__dict__["_modules"][name]
        return getattr(self.__dict__["_modules"]["_orig_mod"], name)

    def __setattr__(self, name, value):
        own = self.__dict__.get("_modules")
        if own and "_orig_mod" in own and name not in self.__dict__ and name != "_orig_mod":
            setattr(own["_orig_mod"], name, value)
        else:
            super().__setattr__(name, value)

    def train(self, mode=True):
        self._orig_mod.train(mode)
        self.__dict__["training"] = mode
        return self

    def __len__(self):
        return len(self._orig_mod)

    def __iter__(self):
        return iter(self._orig_mod)

    def __getitem__(self, index):
        return self._orig_mod[index]
