"""Which numbers become which points: codegen/winograd/schemes.py."""

from __future__ import annotations

import numpy as np
import pytest

from emplace.codegen.winograd.schemes import SCHEMES, Scheme, scheme, turned

OTHERS = [scheme(1, 3, (0, 2)), scheme(3, 2, (1, -1, 3))]


@pytest.mark.parametrize("each", [*SCHEMES.values(), *OTHERS], ids=lambda each: str(each[:2]))
def test_a_scheme_is_the_convolution_and_its_gradients(each: Scheme) -> None:
    rng = np.random.default_rng(1)
    seen = rng.integers(-9, 9, (each.side, each.side)).astype(np.float64)
    window = rng.integers(-9, 9, (each.window, each.window)).astype(np.float64)
    image, filter, result = map(np.array, (each.of_image, each.of_filter, each.of_result))
    points = (image @ seen @ image.T) * (filter @ window @ filter.T)
    made = result.T @ points @ result
    windows = np.lib.stride_tricks.sliding_window_view(seen, window.shape)
    np.testing.assert_allclose(made, (windows * window).sum((2, 3)), atol=1e-9)

    given = rng.integers(-9, 9, (each.tile, each.tile)).astype(np.float64)
    back = (image @ seen @ image.T) * (result @ given @ np.array(turned(each.of_result)))
    gradient = np.array(turned(each.of_filter)) @ back @ filter
    np.testing.assert_allclose(gradient, (windows * given[:, :, None, None]).sum((0, 1)), atol=1e-9)


def test_small_tiles_of_windows_of_three_need_additions_alone_but_for_the_filter() -> None:
    small = SCHEMES[2, 3]
    assert {x for row in (*small.of_image, *small.of_result) for x in row} == {-1.0, 0.0, 1.0}
    assert [each.points for each in SCHEMES.values()] == [16, 36, 36]
