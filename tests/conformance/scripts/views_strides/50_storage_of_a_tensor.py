import warnings

import torch

warnings.simplefilter("ignore")
points = torch.tensor([[4.0, 1.0], [5.0, 3.0], [2.0, 1.0]])
print(points.storage())
points_storage = points.storage()
print(points_storage[0], points.storage()[1], len(points_storage))
points_storage[0] = 2.0
print(points)
print(points.t().storage().tolist() == points.storage().tolist())
print(id(points.storage()) is not None, points.storage().dtype, points.storage().size())
second = points[1]
print(second.storage_offset(), second.storage().size(), second.size())
print(points.storage().data_ptr() == points.t().storage().data_ptr())
print(torch.tensor([1, 2]).storage(), torch.tensor([True]).storage())
try:
    points_storage[10]
except IndexError as error:
    print(error)
print(points.untyped_storage().nbytes(), points.storage().nbytes(), type(points.storage()))
