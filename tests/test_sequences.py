"""What makes something fail is found by halving, in few tries."""

import itertools

import pytest

from gradspec.conformance.processes.sequences import shortest


def failing_after(*needed, tries=None):
    """Return what fails after all that are needed, in this order, and counts its tries."""

    def fails(sequence):
        if tries is not None:
            tries.append(list(sequence))
        rest = iter(sequence)
        return all(each in rest for each in needed)

    return fails


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_the_one_at_fault_is_found_wherever_it_stands(size):
    for culprit in range(size):
        assert shortest(range(size), [], failing_after(culprit)) == ([culprit], True)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_several_that_are_needed_together_are_found_in_their_order(count):
    for needed in itertools.combinations(range(9), count):
        assert shortest(range(9), [], failing_after(*needed)) == ([*needed], True)


def test_nothing_is_found_where_nothing_is_at_fault():
    assert shortest(range(9), [3], failing_after(10)) == (None, True)
    assert shortest([], [], failing_after(1)) == (None, True)


def test_it_takes_few_tries():
    for culprit in (0, 500, 999):
        tries = []
        shortest(range(1000), [], failing_after(culprit, tries=tries))
        assert len(tries) < 25


def test_suspects_are_tried_first():
    tries = []
    assert shortest(range(1000), [3, 5], failing_after(3, tries=tries)) == ([3], True)
    assert len(tries) < 5
    assert tries[0] == [3, 5]
    assert shortest(range(1000), [3, 5], failing_after(4)) == ([4], True)


@pytest.mark.parametrize("limit", range(20))
def test_a_search_that_is_ended_returns_what_it_has(limit):
    left = iter(range(limit))
    fails = failing_after(20, 40)

    def ended(sequence):
        if next(left, None) is None:
            raise TimeoutError
        return fails(sequence)

    found, finished = shortest(range(50), [], ended)
    assert finished == (found == [20, 40])
    assert found is None or fails(found)


def test_a_sequence_that_does_not_always_fail_does_not_keep_the_search():
    for answers in itertools.product([False, True], repeat=7):
        answer = itertools.cycle(answers)
        shortest(range(30), [1], lambda _, answer=answer: next(answer))
