"""Functions of one or two scalars: their numbers, and the derivatives as scalars again."""

import numpy as np

from .cells import MINUS, ONE, ZERO, Scalar


def made(number, *sources):
    """Return a scalar that was computed from others."""
    return Scalar(number, sources)


def inverse(x):
    result = made(np.divide(1.0, x.number))
    result.paths = ((x, MINUS * result * result),)
    return result


def div(x, y):
    over = inverse(y)
    return made(np.divide(x.number, y.number), (x, over), (y, MINUS * x * over * over))


def exp(x):
    result = made(np.exp(x.number))
    result.paths = ((x, result),)
    return result


def sin(x):
    result, slope = made(np.sin(x.number)), made(np.cos(x.number))
    result.paths, slope.paths = ((x, slope),), ((x, MINUS * result),)
    return result


def tanh(x):
    result = made(np.tanh(x.number))
    result.paths = ((x, ONE - result * result),)
    return result


def sigmoid(x):
    result = made(1 / (1 + np.exp(-x.number)))
    result.paths = ((x, result * (ONE - result)),)
    return result


def sqrt(x):
    result = made(np.sqrt(x.number))
    result.paths = ((x, inverse(result + result)),)
    return result


def relu(x):
    result = made(max(x.number, 0.0))
    result.paths = ((x, made(float(result.number > 0), (result, ZERO))),)
    return result


def absolute(x):
    return made(abs(x.number), (x, made(np.sign(x.number), (x, ZERO))))


def clamp(x, low, high):
    inside = low <= x.number <= high
    return made(min(max(x.number, low), high), (x, Scalar(float(inside))))


def larger(x, y):
    """Return the larger one; of two that are equal each has half of the gradient."""
    share = 0.5 if x.number == y.number else float(x.number > y.number)
    number = max(x.number, y.number)
    return made(number, (x, Scalar(share)), (y, Scalar(1 - share)))


def smaller(x, y):
    return larger(x * MINUS, y * MINUS) * MINUS


def softmax(row):
    """Return the shares of the exponentials of a row."""
    parts = np.exp([x.number - max(y.number for y in row) for x in row])
    results = [made(number) for number in parts / parts.sum()]
    for i, result in enumerate(results):
        others = [((ONE if i == j else ZERO) - each) for j, each in enumerate(results)]
        result.paths = tuple((x, result * each) for x, each in zip(row, others, strict=True))
    return results


def log_softmax(row):
    """Return the logarithms of these shares."""
    top = max(x.number for x in row)
    total = np.log(np.exp([x.number - top for x in row]).sum())
    shares = softmax(row)
    return [
        made(x.number - top - total, *((y, (ONE if y is x else ZERO) - share) for y, share in each))
        for x in row
        for each in [[*zip(row, shares, strict=True)]]
    ]
