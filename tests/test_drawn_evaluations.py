"""Predictions and images: interesting ones are drawn, and classes are as far apart as is said."""

import numpy as np
import pytest
from test_drawn_calls import shares

from gradspec.conformance.strategies.evaluation import COUNT, from_hits, predictions
from gradspec.conformance.strategies.images import images

REACHED = {
    "a batch of one": lambda p: 1 in p.sizes,
    "batches of different sizes": lambda p: len({*p.sizes}) > 1,
    "hits and misses": lambda p: 0 < p.hits.sum() < len(p.labels),
    "an accuracy other than the mean of those of batches": lambda p: (
        abs(np.mean([(a == b).mean() for a, b in p.batches()]) - p.hits.mean()) > 1e-9
    ),
    "a class that does not occur": lambda p: len({*p.labels.tolist()}) < COUNT,
}


@pytest.mark.parametrize("point", REACHED)
def test_predictions_reach(point):
    (share,) = shares(predictions(), REACHED[point])
    assert share > 0.15


def test_balanced_predictions_have_as_many_samples_of_each_class():
    everywhere, wrong = shares(
        predictions(balanced=True),
        lambda p: {*np.bincount(p.labels, minlength=COUNT)} == {3},
        lambda p: not p.hits.all(),
    )
    assert everywhere == 1
    assert wrong > 0.5


def test_hits_can_be_given():
    case = from_hits(range(10), 9)
    assert np.bincount(case.labels[case.hits], minlength=COUNT).tolist() == list(range(10))


def test_no_image_is_nearer_to_the_centre_of_another_class():
    seen, unseen = images(200, 1), images(500, 2)
    centres = np.stack([seen.values[seen.labels == c].mean(0).ravel() for c in range(10)])
    apart = ((unseen.values.reshape(500, 1, -1) - centres) ** 2).sum(2)
    assert np.array_equal(apart.argmin(1), unseen.labels)


def test_images_are_balanced_and_follow_from_their_seed():
    once, again, other = images(100, 3), images(100, 3), images(100, 4)
    assert np.bincount(once.labels).tolist() == [10] * 10
    assert once.values.shape == (100, 3, 32, 32)
    assert np.array_equal(once.values, again.values)
    assert not np.array_equal(once.values, other.values)
