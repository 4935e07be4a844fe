"""Modules, optimizers and schedules over a table of settings: what each one holds at the start, gives, and passes back.

A tensor is shown by a few figures (`figures`), parameters at the start by a checksum of their bits (`bits`). Run by PyTorch
this gives `recorded.txt`: `python cases.py > recorded.txt`.
"""

import warnings
import zlib

import torch
import torch.nn.functional as F
from torch import nn, optim
from torch.optim import lr_scheduler

warnings.simplefilter("ignore")
# (module, inputs): the letters are tensors of a shape, see `make`.
MODULES = """
nn.Identity() ; x 2 3
nn.Linear(5, 3) ; x 4 5
nn.Linear(5, 3, bias=False) ; x 2 3 5
nn.Linear(5, 1) ; x 5
nn.Bilinear(3, 4, 2) ; x 5 3 / x 5 4
nn.LazyLinear(3) ; x 2 5
nn.Conv1d(3, 4, 3) ; x 2 3 9
nn.Conv1d(4, 6, 3, stride=2, padding=2, dilation=2, groups=2, padding_mode="circular") ; x 2 4 9
nn.Conv2d(3, 4, 3, padding="same") ; x 2 3 6 7
nn.Conv2d(4, 4, (3, 2), stride=(2, 1), padding=(1, 0), groups=4, bias=False) ; x 1 4 7 6
nn.Conv2d(2, 3, 3, padding=1, padding_mode="reflect") ; x 2 5 6
nn.Conv3d(2, 3, 2, padding=1, padding_mode="replicate") ; x 1 2 3 4 3
nn.ConvTranspose1d(3, 2, 4, stride=2, padding=1, output_padding=1) ; x 2 3 5
nn.ConvTranspose2d(4, 6, 3, stride=2, groups=2, dilation=2) ; x 1 4 3 4
nn.ConvTranspose3d(2, 2, 2, stride=2, bias=False) ; x 2 2 2 3 2
nn.Unfold((2, 3), padding=1, stride=2) ; x 2 3 5 6
nn.Fold((4, 5), 2, stride=1) ; x 1 8 12
nn.MaxPool1d(3, 2, padding=1) ; x 2 3 9
nn.MaxPool2d(2, return_indices=True, ceil_mode=True) ; x 1 2 5 5
nn.MaxPool3d(2, dilation=2) ; x 1 1 5 5 5
nn.AvgPool1d(3, 1, padding=1, count_include_pad=False) ; x 2 2 6
nn.AvgPool2d((3, 2), 2, ceil_mode=True, divisor_override=3) ; x 1 2 6 5
nn.AvgPool3d(2) ; x 1 2 4 4 4
nn.LPPool1d(2, 3, stride=2) ; p 2 3 9
nn.LPPool2d(3, 2) ; p 1 2 6 6
nn.AdaptiveAvgPool1d(4) ; x 2 3 10
nn.AdaptiveAvgPool2d((3, None)) ; x 1 2 7 5
nn.AdaptiveMaxPool2d(3, return_indices=True) ; x 1 2 7 8
nn.AdaptiveAvgPool3d((1, 2, 3)) ; x 1 2 4 5 6
nn.FractionalMaxPool2d(2, output_ratio=0.6) ; x 1 2 9 8
nn.MaxUnpool2d(2) ; x 1 1 2 2 / m 1 1 2 2
nn.ReflectionPad2d((1, 2, 0, 1)) ; x 1 2 4 5
nn.ReplicationPad1d(2) ; x 2 3 4
nn.ZeroPad2d(1) ; x 1 1 3 3
nn.ConstantPad3d(1, 0.5) ; x 1 1 2 3 2
nn.CircularPad2d((1, 0, 2, 1)) ; x 1 2 4 3
nn.PixelShuffle(2) ; x 1 8 3 2
nn.PixelUnshuffle(2) ; x 1 2 4 6
nn.ChannelShuffle(3) ; x 1 6 2 2
nn.Upsample(scale_factor=2, mode="nearest") ; x 1 2 3 3
nn.Upsample(size=(5, 7), mode="bilinear", align_corners=True) ; x 1 2 3 4
nn.Upsample(scale_factor=1.5, mode="bicubic") ; x 1 1 4 4
nn.Upsample(scale_factor=2, mode="trilinear") ; x 1 1 2 3 2
nn.BatchNorm1d(4) ; x 6 4
nn.BatchNorm1d(3, eps=1e-3, momentum=None) ; x 2 3 5
nn.BatchNorm2d(3, affine=False) ; x 2 3 4 4
nn.BatchNorm3d(2, track_running_stats=False) ; x 2 2 2 3 2
nn.BatchNorm2d(3, momentum=0.3, bias=False) ; x 2 3 2 2
nn.InstanceNorm1d(3, affine=True) ; x 2 3 6
nn.InstanceNorm2d(2, track_running_stats=True) ; x 2 2 4 3
nn.LayerNorm(5) ; x 2 3 5
nn.LayerNorm([3, 4], elementwise_affine=False) ; x 2 3 4
nn.LayerNorm(4, eps=0.1, bias=False) ; x 3 4
nn.GroupNorm(2, 6) ; x 2 6 4
nn.GroupNorm(3, 3, affine=False) ; x 2 3 2 3
nn.RMSNorm(5) ; x 2 5
nn.LocalResponseNorm(3, alpha=0.1) ; x 1 5 4 4
nn.CrossMapLRN2d(3) ; x 1 4 3 3
nn.ReLU() ; x 3 4
nn.ReLU6() ; x 3 4
nn.LeakyReLU(0.2) ; x 3 4
nn.PReLU(4, init=0.1) ; x 3 4
nn.RReLU() ; x 3 4
nn.ELU(1.5) ; x 3 4
nn.CELU(0.7) ; x 3 4
nn.SELU() ; x 3 4
nn.GELU() ; x 3 4
nn.GELU(approximate="tanh") ; x 3 4
nn.SiLU() ; x 3 4
nn.Mish() ; x 3 4
nn.Sigmoid() ; x 3 4
nn.LogSigmoid() ; x 3 4
nn.Hardsigmoid() ; x 3 4
nn.Hardswish() ; x 3 4
nn.Hardtanh(-0.5, 0.7) ; x 3 4
nn.Hardshrink(0.4) ; x 3 4
nn.Softshrink(0.4) ; x 3 4
nn.Softplus(2, 1) ; x 3 4
nn.Softsign() ; x 3 4
nn.Tanh() ; x 3 4
nn.Tanhshrink() ; x 3 4
nn.Threshold(0.1, -2) ; x 3 4
nn.GLU(1) ; x 3 4
nn.Softmax(dim=1) ; x 3 4
nn.Softmin(dim=0) ; x 3 4
nn.Softmax2d() ; x 1 3 2 2
nn.LogSoftmax(dim=-1) ; x 3 4
nn.Dropout(0.3) ; x 4 5
nn.Dropout1d(0.4) ; x 2 6 3
nn.Dropout2d() ; x 2 4 2 2
nn.Dropout3d(0.2) ; x 1 4 2 2 2
nn.AlphaDropout(0.3) ; x 4 5
nn.FeatureAlphaDropout(0.4) ; x 2 4 3
nn.Embedding(7, 3) ; i 7 2 4
nn.Embedding(7, 3, padding_idx=0, max_norm=1.0) ; i 7 5
nn.EmbeddingBag(7, 3, mode="sum") ; i 7 2 4
nn.EmbeddingBag(7, 3) ; i 7 6 / o 0 2 2
nn.Flatten(2) ; x 2 3 4 5
nn.Unflatten(1, (2, 3)) ; x 2 6
nn.CosineSimilarity(dim=1) ; x 3 4 / x 3 4
nn.PairwiseDistance(p=1) ; x 3 4 / x 3 4
nn.RNN(3, 4) ; x 5 2 3
nn.RNN(3, 4, 2, nonlinearity="relu", bidirectional=True, batch_first=True) ; x 2 5 3 / x 4 2 4
nn.LSTM(3, 4) ; x 5 2 3
nn.LSTM(3, 4, num_layers=2, bias=False, dropout=0.4, proj_size=2) ; x 5 2 3
nn.GRU(3, 4, bidirectional=True) ; x 5 3
nn.GRU(3, 2, 3, batch_first=True, dropout=0.2) ; x 2 5 3
nn.RNNCell(3, 4, nonlinearity="relu") ; x 2 3 / x 2 4
nn.LSTMCell(3, 4) ; x 2 3
nn.GRUCell(3, 4, bias=False) ; x 3
nn.MultiheadAttention(6, 2) ; x 4 2 6 / x 5 2 6 / x 5 2 6
nn.MultiheadAttention(4, 2, kdim=3, vdim=5, bias=False, batch_first=True) ; x 2 3 4 / x 2 6 3 / x 2 6 5
nn.MultiheadAttention(4, 2, add_bias_kv=True, add_zero_attn=True, dropout=0.2) ; x 3 4 / x 2 4 / x 2 4
nn.TransformerEncoderLayer(6, 2, 8) ; x 4 2 6
nn.TransformerEncoderLayer(6, 3, 8, dropout=0.2, activation="gelu", batch_first=True, norm_first=True) ; x 2 4 6
nn.TransformerDecoderLayer(6, 2, 8, bias=False) ; x 3 2 6 / x 4 2 6
nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 6, 0.0), 2, norm=nn.LayerNorm(4)) ; x 3 2 4
nn.Transformer(4, 2, 1, 1, 8, dropout=0.0, batch_first=True) ; x 2 3 4 / x 2 2 4
nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Sequential(nn.Linear(4, 2), nn.Dropout(0.5))) ; x 5 3
nn.L1Loss() ; x 3 4 / t 3 4
nn.MSELoss(reduction="none") ; x 3 4 / t 3 4
nn.SmoothL1Loss(beta=0.5) ; x 3 4 / t 3 4
nn.HuberLoss("sum", 0.3) ; x 3 4 / t 3 4
nn.CrossEntropyLoss(label_smoothing=0.1) ; x 5 3 / i 3 5
nn.CrossEntropyLoss(weight=torch.tensor([0.2, 1.0, 3.0]), ignore_index=1) ; x 4 3 2 / i 3 4 2
nn.CrossEntropyLoss(reduction="none") ; x 3 4 / q 3 4
nn.LinearCrossEntropyLoss(4, 3, bias=True) ; x 5 4 / i 3 5
nn.NLLLoss(weight=torch.tensor([1.0, 2.0, 0.5])) ; x 5 3 / i 3 5
nn.BCELoss() ; q 3 4 / q 3 4
nn.BCEWithLogitsLoss(pos_weight=torch.tensor([1.0, 2.0, 3.0, 0.5])) ; x 3 4 / q 3 4
nn.KLDivLoss(reduction="batchmean", log_target=True) ; x 3 4 / t 3 4
nn.PoissonNLLLoss(full=True) ; x 3 4 / p 3 4
nn.GaussianNLLLoss(full=True) ; x 3 4 / t 3 4 / p 1 4
nn.HingeEmbeddingLoss(0.5) ; x 3 4 / s 3 4
nn.SoftMarginLoss() ; x 3 4 / s 3 4
nn.MarginRankingLoss(0.2) ; x 5 / x 5 / s 5
nn.CosineEmbeddingLoss(0.1) ; x 3 4 / x 3 4 / s 3
nn.MultiMarginLoss(p=2) ; x 4 3 / i 3 4
nn.MultiLabelMarginLoss() ; x 2 4 / i 4 2 4
nn.MultiLabelSoftMarginLoss() ; x 3 4 / q 3 4
nn.TripletMarginLoss(swap=True) ; x 3 4 / x 3 4 / x 3 4
nn.TripletMarginWithDistanceLoss(distance_function=nn.L1Loss(reduction="none")) ; x 3 4 / x 3 4 / x 3 4
nn.CTCLoss() ; l 6 2 4 / c 4 2 3 / o 6 6 / o 3 2
nn.AdaptiveLogSoftmaxWithLoss(6, 8, [2, 5]) ; x 5 6 / i 8 5
"""
# Constructions and calls that are refused.
REFUSED = """
nn.Linear(5, 3)(ones(2, 4))
nn.Conv2d(3, 4, 3)(ones(2, 2, 5, 5))
nn.Conv2d(3, 4, 3, groups=2)
nn.Conv2d(3, 4, 3, padding="same", stride=2)
nn.BatchNorm1d(3, eps=0.0)(ones(2, 3))
nn.BatchNorm1d(3, eps=-1.0).eval()(ones(2, 3))
nn.BatchNorm2d(3)(ones(2, 3))
nn.BatchNorm1d(3)(ones(1, 3))
nn.LayerNorm(3)(ones(2, 4))
nn.GroupNorm(3, 4)
nn.RNN(0, 3)
nn.RNN(3, 3, nonlinearity="sin")
nn.LSTM(3, 0)
nn.LSTM(3, 4, bias=1)
nn.LSTM(3, 4, batch_first="yes")
nn.LSTM(3, 4, proj_size=4)
nn.GRU(3, 4, dropout=2)
nn.GRU(3, 4, proj_size=1)
nn.GRU(3)
nn.GRU(3, 4)(ones(2, 2, 2))
nn.LSTM(3, 4)(ones(2, 1, 3), (ones(1, 1, 4), ones(1, 1, 3)))
nn.LSTMCell(3, 4)(ones(2, 2))
nn.MultiheadAttention(5, 2)
nn.Softmax(1.0)
nn.LogSoftmax(True)
nn.Dropout(1.5)
nn.Embedding(3, 2, padding_idx=4)
nn.Embedding(3, 2)(torch.tensor([3]))
nn.HuberLoss(delta="a")
nn.CrossEntropyLoss()(ones(2, 3), ones(2, 3).long())
nn.CrossEntropyLoss()(ones(2, 3), torch.tensor([0, 3]))
nn.NLLLoss(weight=ones(3).double())(ones(2, 3), torch.tensor([0, 1]))
nn.GaussianNLLLoss()(ones(4, 3), ones(4, 3), ones(2, 3))
nn.BCELoss()(ones(3), ones(2))
nn.Transformer(5, 2)
nn.Sequential(3)
nn.ModuleDict({"keys": nn.ReLU()})
nn.PixelShuffle(2)(ones(1, 3, 2, 2))
optim.Adam([])
optim.SGD(ones(2))
optim.SGD([ones(2, requires_grad=True)], lr=-1)
optim.SGD([ones(2, requires_grad=True)], nesterov=True)
optim.Adam([ones(2, requires_grad=True)], betas=(1.0, 0.9))
optim.Adam([ones(2, requires_grad=True)], lr=torch.tensor(0.1), foreach=True)
optim.ASGD([ones(2, requires_grad=True)], alpha=-1)
optim.Rprop([ones(2, requires_grad=True)], etas=(1.1, 1.2))
optim.SGD([{"params": [ones(2, requires_grad=True)]}, {"params": [("w", ones(2, requires_grad=True))]}])
lr_scheduler.StepLR(3, 2)
lr_scheduler.OneCycleLR(sgd(), 0.5)
lr_scheduler.SequentialLR(sgd(), [], [])
lr_scheduler.CyclicLR(sgd(), 0.1, 0.5, mode="square")
lr_scheduler.ReduceLROnPlateau(sgd(), factor=1.0)
"""
OPTIMIZERS = """
SGD(p, lr=0.1)
SGD(p, lr=0.1, momentum=0.9, weight_decay=0.1, nesterov=True)
SGD(p, lr=0.1, momentum=0.8, dampening=0.3, maximize=True)
Adam(p, lr=0.1)
Adam(p, lr=0.1, betas=(0.5, 0.8), weight_decay=0.1, amsgrad=True)
AdamW(p, lr=0.1, weight_decay=0.5)
NAdam(p, lr=0.1, decoupled_weight_decay=True, weight_decay=0.1)
RAdam(p, lr=0.1)
Adamax(p, lr=0.1, weight_decay=0.1)
Adadelta(p, rho=0.8)
Adagrad(p, lr=0.1, lr_decay=0.1, initial_accumulator_value=0.2)
RMSprop(p, lr=0.1, momentum=0.5, centered=True)
Rprop(p, lr=0.1, etas=(0.4, 1.3))
ASGD(p, lr=0.1, t0=2)
Adafactor(p, lr=0.1)
LBFGS(p, lr=0.5, max_iter=4)
LBFGS(p, max_iter=5, line_search_fn="strong_wolfe")
"""
SCHEDULES = """
StepLR(o, 3, 0.5)
MultiStepLR(o, [2, 5, 5])
ConstantLR(o, 0.5, 4)
LinearLR(o, 0.1, 1.0, 6)
ExponentialLR(o, 0.9)
PolynomialLR(o, 8, 2.0)
CosineAnnealingLR(o, 5, 0.01)
CosineAnnealingWarmRestarts(o, 2, 2)
CyclicLR(o, 0.01, 0.1, 3, mode="triangular2")
OneCycleLR(o, 0.5, 13, three_phase=True)
LambdaLR(o, lambda e: 1 / (e + 1))
MultiplicativeLR(o, lambda e: 0.8)
SequentialLR(o, [LinearLR(o, 0.1, 1, 3), ExponentialLR(o, 0.8)], [3])
ChainedScheduler([ConstantLR(o, 0.1, 4), ExponentialLR(o, 0.9)])
"""
ones = torch.ones


def figures(t):
    """Shape, dtype, sum, a weighted sum and the largest element's size."""
    if not isinstance(t, torch.Tensor):
        return str(t)
    flat = t.detach().double().reshape(-1)
    if flat.numel() == 0:
        return f"{tuple(t.shape)} empty"
    weights = torch.cos(torch.arange(flat.numel(), dtype=torch.float64))
    kind = str(t.dtype).removeprefix("torch.")
    values = f"{flat.sum().item():.4e} {(flat * weights).sum().item():.4e} {flat.abs().max().item():.4e}"
    return f"{list(t.shape)} {kind} {values}"


def bits(tensors):
    """A checksum of float32 values, so that one last bit shows."""
    return zlib.crc32(",".join(float(v).hex() for t in tensors for v in t.flatten().tolist()).encode())


def flatten(value):
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in flatten(v)]
    return [value]


def make(text):
    """An input: a letter for its kind and its sizes."""
    kind, *sizes = text.split()
    sizes = [int(s) for s in sizes]
    if kind == "i":
        return torch.randint(sizes[0], sizes[1:])
    if kind == "o":
        return torch.tensor(sizes)
    if kind == "c":
        return torch.randint(1, sizes[0], sizes[1:])
    if kind == "m":
        return torch.tensor([0, 3, 9, 14]).reshape(sizes)
    x = torch.randn(sizes, dtype=torch.float64)
    if kind == "p":
        return (x.abs() + 0.1).requires_grad_()
    if kind == "q":
        return torch.sigmoid(x)
    if kind == "s":
        return x.sign()
    if kind == "t":
        return x
    if kind == "l":
        return x.log_softmax(-1).requires_grad_()
    return x.requires_grad_()


def odd_memory(t):
    """The same values, every other element of a larger tensor."""
    if t.dim() == 0:
        return t
    wide = torch.stack([t.detach(), torch.zeros_like(t)], -1).flatten(-2)[..., ::2]
    return wide.requires_grad_(t.requires_grad)


def show_module(line):
    made, given = line.split(" ; ")
    print("==", line)
    torch.manual_seed(11)
    module = eval(made)
    print(module)
    if "Lazy" not in made:
        print("start", bits(module.state_dict().values()), list(module.state_dict()))
    inputs = [make(text) for text in given.split("/")]
    module.double()
    for train in (True, False):
        module.train(train)
        for where, values in (("", inputs), (" odd memory", [odd_memory(t) for t in inputs])):
            if where and not train:
                continue
            torch.manual_seed(5)
            outputs = flatten(module(*(values if "LSTM" not in made else values[:1])))
            print(f"{'train' if train else 'eval'}{where}", *map(figures, outputs), sep=" | ")
            outputs = [o for o in outputs if isinstance(o, torch.Tensor) and o.requires_grad]
            wanted = [t for t in (*values, *module.parameters()) if t.requires_grad]
            if not outputs or not wanted:
                continue
            total = sum((o * torch.linspace(-1, 2, o.numel(), dtype=o.dtype).reshape(o.shape)).sum() for o in outputs)
            grads = torch.autograd.grad(total, wanted, allow_unused=True)
            print("  back", *map(figures, grads), sep=" | ")
    held = {k: figures(v) for k, v in module.named_buffers()}
    if held:
        print("  held", held)


def problem():
    torch.manual_seed(2)
    double = {"dtype": torch.float64}
    parameters = [nn.Parameter(torch.randn(3, 2, **double)), nn.Parameter(torch.randn(4, 2, **double))]
    x, y = torch.randn(6, 3, **double), torch.randn(6, 2, **double)

    def loss():
        return ((torch.tanh(x @ parameters[0] + parameters[1].mean(0)) - y) ** 2).mean()

    return parameters, loss


def show_optimizer(line):
    print("==", line)
    p, loss = problem()
    optimizer = eval("optim." + line)
    print(optimizer)

    def closure():
        optimizer.zero_grad()
        value = loss()
        value.backward()
        return value

    print(*(f"{optimizer.step(closure).item():.4e}" for _ in range(4)))
    print(*map(figures, p), sep=" | ")
    saved = optimizer.state_dict()
    for number, state in saved["state"].items():
        print(number, {k: figures(v) for k, v in state.items() if not isinstance(v, list)})
    print([{k: v for k, v in group.items() if k not in ("lr", "foreach")} for group in saved["param_groups"]])
    p, loss = problem()
    optimizer = eval("optim." + line)
    optimizer.load_state_dict(saved)
    print(*(f"{optimizer.step(closure).item():.4e}" for _ in range(2)))


def sgd(lr=0.1):
    first, second = nn.Parameter(ones(2)), nn.Parameter(ones(3))
    return optim.SGD([{"params": [first]}, {"params": [second], "lr": 0.5}], lr=lr, momentum=0.9)


def show_schedule(line):
    for lr in (0.1, torch.tensor(0.1)):
        print("==", line, "with a tensor" if isinstance(lr, torch.Tensor) else "")
        o = sgd(lr)
        schedule = eval(line, {**vars(lr_scheduler), "o": o})
        for _ in range(9):
            o.step()
            schedule.step()
            rates = [f"{float(r):.4e}" for r in schedule.get_last_lr()]
            print(*rates, *(f"{g['momentum']:.4f}" for g in o.param_groups))
        print(sorted(schedule.state_dict()))


def lines(text):
    return text.strip().splitlines()


for line in lines(MODULES):
    show_module(line)
for line in lines(REFUSED):
    try:
        print(line, "->", eval(line))
    except Exception as error:
        print(line, "->", type(error).__name__, error)
for line in lines(OPTIMIZERS):
    show_optimizer(line)
for line in lines(SCHEDULES):
    show_schedule(line)
