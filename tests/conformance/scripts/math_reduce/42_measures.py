"""Slopes by differences, windows, histograms of points, distances between rows, runs."""
import torch

x = torch.tensor([1.0, 4.0, 9.0, 16.0, 25.0])
print(torch.gradient(x), torch.gradient(x, edge_order=2), torch.gradient(x, spacing=0.5))
print(torch.gradient(x, spacing=(torch.tensor([0.0, 1.0, 1.5, 3.5, 4.0]),)))
grid = torch.tensor([[1, 2, 6], [3, 4, 5]])
print(torch.gradient(grid), torch.gradient(grid, dim=1), torch.gradient(grid, spacing=[2.0, 3.0]))
print(torch.hann_window(6), torch.hann_window(6, periodic=False), torch.hamming_window(5))
print(torch.bartlett_window(5), torch.kaiser_window(5, True, 5.0), torch.hann_window(1), torch.hann_window(0))
print(torch.blackman_window(4, periodic=False, dtype=torch.float64)[1:3])
points = torch.tensor([[0.0, 1.0], [1.0, 0.0], [2.0, 0.0], [2.0, 2.0]])
print(torch.histogramdd(points, bins=[3, 3]))
print(torch.histogramdd(points, bins=2, range=[0.0, 2.0, 0.0, 2.0], density=True).hist)
print(torch.pdist(points), torch.pdist(points, p=1), torch.nn.functional.pdist(points, p=float("inf")))
print(torch.segment_reduce(torch.arange(5.0), "mean", lengths=torch.tensor([2, 3])))
print(torch.nonzero_static(torch.tensor([0, 3, 0, 5]), size=3))
print(torch.as_strided_scatter(torch.zeros(2, 3), torch.ones(2), (2,), (3,)))
print(torch.ones(2, 3).sum_to_size(1, 3), torch.ones(2, 3).resize_as_(torch.empty(3, 1)))
print(torch.pixel_shuffle(torch.arange(16.0).reshape(1, 4, 2, 2), 2))
print(torch.pixel_unshuffle(torch.arange(16.0).reshape(1, 1, 4, 4), 2).shape)
print(torch.channel_shuffle(torch.arange(8).reshape(1, 4, 2), 2))
print(torch.view_copy(x, (5, 1)).shape, torch.t_copy(grid), torch.unbind_copy(grid))
print(torch.range(1, 3), torch.range(0, 1, 0.25))
print(torch.is_signed(grid), torch.is_same_size(x, grid), torch.get_device(x))
for call in (lambda: torch.gradient(x, edge_order=3), lambda: torch.gradient(torch.ones(1)), lambda: torch.pdist(x),
             lambda: torch.hann_window(-1), lambda: torch.pixel_shuffle(torch.ones(1, 3, 2, 2), 2),
             lambda: torch.range(3, 1), lambda: torch.solve(points, points)):
    try:
        call()
    except Exception as e:
        print(type(e).__name__, e)
