"""What has no meaning, or none for a gradient, and is taken without a word."""

import sys

import paddle


def outcome(function):
    """Say whether a call is refused."""
    try:
        function()
    except Exception:
        return "refused"
    return "taken"


def reduce_by_nothing():
    """Scatter with a reduction that has no name."""
    zeros = paddle.zeros([1])
    paddle.scatter(zeros, 0, paddle.to_tensor([0]), zeros, reduce=None)


leaf = paddle.to_tensor([1.0], stop_gradient=False)
constant, computed = paddle.to_tensor([1.0]), leaf * 2
got = {
    "backward from a constant": outcome(constant.backward),
    "keeping the gradient of a constant": outcome(constant.retain_grads),
    "an integer that requires a gradient": outcome(lambda: paddle.to_tensor([1]).requires_grad_()),
    "a complex cotangent": outcome(lambda: (leaf * 3).backward(paddle.to_tensor([1j]))),
    "cutting a view from its history": outcome((leaf * 3).unsqueeze(0).detach_),
    "scatter that reduces by None": outcome(reduce_by_nothing),
    "switching off what is computed": outcome(lambda: computed.requires_grad_(False)),
}
expected = dict.fromkeys(got, "refused")
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
