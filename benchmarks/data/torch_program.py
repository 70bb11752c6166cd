"""The pipelines as written for torch: a Dataset and a DataLoader whose workers stay."""

import torch
from torch.utils.data import DataLoader, Dataset

from .inputs import BATCH, IMAGES, LABELS, WORKERS


class Images(Dataset):
    def __init__(self, count, change):
        self.images = torch.from_numpy(IMAGES[:count])
        self.labels = torch.from_numpy(LABELS[:count])
        self.change = change

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.change(self.images[i], self.labels[i])


def scaled(image, label):
    return image.to(torch.float32) / 255.0, label


def whitened(image, label):
    image = image.to(torch.float32) / 255.0
    return image - image.mean(), torch.nn.functional.one_hot(label, 10).float()


def loader(count, change):
    return DataLoader(
        Images(count, change), BATCH, shuffle=True, num_workers=WORKERS, persistent_workers=True
    )


images = loader(100_000, scaled)
white = loader(20_000, whitened)


def one_pass(batches):
    for _ in batches:
        pass


ROWS = {"images": "one_pass(images)", "whitened": "one_pass(white)"}
