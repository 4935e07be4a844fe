import torch
from torch.testing import assert_close

cases = [
    (torch.tensor([1.0, 2.0, 3.0]), torch.tensor([1.0, 2.0, 4.0])),
    (torch.tensor([1, 2]), torch.tensor([1, 3])),
    (torch.tensor([1.0]), torch.tensor([1])),
    (torch.ones(2, 3), torch.ones(3, 2)),
    (1.0, 1.1),
    ({"a": [torch.tensor([1.0]), torch.tensor([2.0])]}, {"a": [torch.tensor([1.0]), torch.tensor([3.0])]}),
    ([1, 2], [1, 2, 3]),
]
for actual, expected in cases:
    try:
        assert_close(actual, expected)
    except AssertionError as e:
        print(e)
        print("---")
assert_close(torch.tensor([1.0]), torch.tensor([1.0 + 1e-7]))
assert_close(torch.tensor([float("nan")]), torch.tensor([float("nan")]), equal_nan=True)
assert_close(torch.tensor([1.0]), torch.tensor([1.1]), rtol=0, atol=0.01)
