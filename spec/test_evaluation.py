"""Evaluation: predictions, how many of them are right, and losses to be reported."""

from fractions import Fraction

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, claim, example, given, workload
from gradspec.conformance.strategies import arrays, integers
from gradspec.conformance.strategies.evaluation import COUNT, Predictions, from_hits, predictions

# ---- predictions ---------------------------------------------------------------------------------


@claim("TRN-54", about="argmax max", needs="argmax max softmax exp")
@example(scores=np.array([[1.0, 3.0, 2.0, 3.0]] * 5))
@example(scores=np.array([[1.0, 1.0 + 2.0**-23, -7.0, 0.5]] * 5))
@given(scores=arrays(shape=(5, 4)))
def test_the_prediction_is_the_place_of_the_largest_score(be, scores):
    """The predicted class of a row is the place of its largest score, one of them in a tie; softmax
    and every other increasing map of scores leave it where it is, unless rounding brings two scores
    together.
    """
    x = be.tensor(scores)
    # Sums and products are rounded in order; of exp a device promises some units in the last place.
    for y, units in (
        (x, 0),
        (be.softmax(x, 1), 8),
        (be.add(be.mul(x, 3.0), 5.0), 0),
        (be.exp(x), 8),
    ):
        mapped = be.numpy(y)
        top = mapped.max(1, keepdims=True)
        alone = (mapped >= top - units * np.spacing(top)).sum(1) == 1
        for places in (be.argmax(y, 1), be.max(y, 1)[1]):
            at = be.numpy(places)
            assert (at.dtype, at.shape) == (np.dtype("int64"), (5,))
            np.testing.assert_array_equal(mapped[range(5), at], mapped.max(1))
            np.testing.assert_array_equal(scores[range(5), at][alone], scores.max(1)[alone])


# ---- counting ------------------------------------------------------------------------------------


@workload(needs="argmax eq reshape")
def hits(be, leaf, labels=0):
    """In how many rows of ten scores the largest one stands at the label."""
    scores = be.reshape(leaf, (-1, COUNT))
    return be.sum(be.eq(be.argmax(scores, 1), labels))


@claim("TRN-55", about="sum", needs="argmax eq reshape item size")
@example(case=Predictions(np.zeros(5, int), np.array([0, 0, 0, 1, 1]), (4, 1)))
@given(case=predictions())
def test_accuracy_is_counted_over_samples(be, case):
    """Hits and samples, added up over batches of any sizes as whole numbers, give the share of hits
    among all samples.
    """
    correct = total = 0
    for predicted, labels in case.batches():
        y = be.tensor(labels)
        correct += be.item(hits(be, be.tensor(np.eye(COUNT)[predicted]), y))
        total += be.size(y, 0)
    assert type(correct) is int
    assert correct / total == case.hits.mean()


@claim("TRN-56", about="sum", needs="argmax eq reshape item")
@given(case=predictions(balanced=True), constant=integers(0, COUNT - 1))
def test_chance_is_one_in_as_many_as_there_are_classes(be, case, constant):
    """What is predicted without regard to the input is right once in C classes: always, if it is
    one and the same on as many samples of each class, and on the average over all ways of turning
    the labels round.
    """
    share = len(case.labels) // COUNT
    fixed, drawn = (
        be.tensor(np.eye(COUNT)[places])
        for places in (np.full(len(case.labels), constant), case.predicted)
    )
    assert be.item(hits(be, fixed, be.tensor(case.labels))) == share
    turned = [(case.labels + turn) % COUNT for turn in range(COUNT)]
    assert sum(be.item(hits(be, drawn, be.tensor(labels))) for labels in turned) == COUNT * share


@claim("TRN-57", about="one_hot", needs="eq one_hot unsqueeze tolist")
@example(case=from_hits([57, 73, 49, 54, 18, 20, 58, 74, 70, 66], 100))
@given(case=predictions(balanced=True))
def test_classes_of_one_size_average_to_the_whole(be, case):
    """The hits of each class, over the samples that bear its label, are its accuracy; with as many
    samples in each class their mean is the accuracy of all.
    """
    labels = be.tensor(case.labels)
    members = be.one_hot(labels, COUNT)
    right = be.unsqueeze(be.eq(be.tensor(case.predicted), labels), 1)
    per_class = be.tolist(be.sum(be.mul(members, right), 0))
    sizes = be.tolist(be.sum(members, 0))
    assert per_class == np.bincount(case.labels[case.hits], minlength=COUNT).tolist()
    assert sizes == np.bincount(case.labels, minlength=COUNT).tolist()
    accuracies = [Fraction(n, size) for n, size in zip(per_class, sizes, strict=True)]
    assert sum(accuracies) / COUNT == Fraction(int(case.hits.sum()), len(case.hits))


@claim("TRN-58", about="squeeze", needs="eq squeeze item", level="contract")
@given(case=predictions())
def test_a_short_batch_breaks_a_loop_over_a_fixed_size(be, case):
    """A squeezed batch of n results is indexed by 0 to n - 1 and no further, a batch of one not at
    all, as it has no dimension left; labels and results taken in pairs count every sample once.
    The share of hits of a class that no sample bears is a division by zero.
    """
    counted = 0
    for predicted, labels in case.batches():
        y = be.tensor(labels)
        right = be.eq(be.tensor(predicted), y)
        squeezed = be.squeeze(right)
        with be.raises(ErrorKind.INDEX_RANGE, ErrorKind.DIMENSION):
            squeezed[len(labels)]
        if len(labels) == 1:
            with be.raises(ErrorKind.DIMENSION):
                squeezed[0]
        counted += sum(be.item(hit) for _, hit in zip(y, right, strict=True))
    assert counted == case.hits.sum()
    absent = be.item(be.sum(be.eq(be.tensor(case.labels), COUNT)))
    with pytest.raises(ZeroDivisionError):
        absent / absent


# ---- reporting -----------------------------------------------------------------------------------


@claim("TRN-60", about="item", needs="item backward")
@example(losses=np.arange(25.0).reshape(1, 25), window=4)
@given(losses=arrays(shape=(2, 9)), window=integers(1, 5))
def test_a_report_averages_over_its_window(be, losses, window):
    """A running sum of items that is divided and reset every w batches reports the means of
    successive windows: n // w of them in an epoch of n batches, the rest of which goes unreported.
    """
    reports = []
    for epoch in losses:
        running = 0.0
        for batch, loss in enumerate(epoch, start=1):
            running += be.item(be.mul(be.leaf(loss), 2.0))
            if batch % window == 0:
                reports.append(running / window)
                running = 0.0
    whole = losses.shape[1] // window
    windows = losses[:, : whole * window].reshape(-1, window)
    assert reports == (2 * windows.sum(1) / window).tolist()
