"""Functions for PyTorch as people write them: each one wrong in a way that is common, and right.

Every class has a twin, `Right...`, that differs in nothing but the mistake. `INPUTS` are what they
are given, by name; `FINDS` which questions may tell of the mistake.
"""

import numpy as np
import torch
from torch.autograd import Function
from torch.nn import functional
from wrong_torch_ranges import (
    CutsFar,
    ForgetsBlocks,
    Overflows,
    RightBlocks,
    RightFar,
    RightOverflow,
)

X = np.array([[0.5, -1.25, 2.0], [1.5, 0.75, -0.5], [1.0, -2.0, 0.25]])
Y = np.array([[1.0, 0.5, -0.75], [2.0, -1.5, 1.25], [0.5, 1.75, -1.0]])
ROW = np.array([0.75, -1.5, 2.5])


# ---- a lost broadcast ----------------------------------------------------------------------------


class LostBroadcast(Function):
    """Adds up the rows where the columns were repeated."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale[:, None]

    @staticmethod
    def backward(ctx, g):
        x, scale = ctx.saved_tensors
        return g * scale[:, None], (g * x).sum(0)


class RightBroadcast(LostBroadcast):
    @staticmethod
    def backward(ctx, g):
        x, scale = ctx.saved_tensors
        return g * scale[:, None], (g * x).sum(1)


# ---- a detached factor ---------------------------------------------------------------------------


def detached_factor(x):
    """Normalizes by a norm that is cut off."""
    return x / (x * x).sum().sqrt().detach()


def right_factor(x):
    return x / (x * x).sum().sqrt()


# ---- a saved tensor that is mutated --------------------------------------------------------------


class MutatedSaved(Function):
    """Keeps the result without saving it, and overwrites it in backward."""

    @staticmethod
    def forward(ctx, x):
        ctx.y = x.exp()
        return ctx.y.clone()

    @staticmethod
    def backward(ctx, g):
        return ctx.y.mul_(g)


class RightSaved(MutatedSaved):
    @staticmethod
    def forward(ctx, x):
        y = x.exp()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, g):
        (y,) = ctx.saved_tensors
        return y * g


def is_dense(x):
    """Whether a tensor has all of its memory, in whatever order."""
    return x.untyped_storage().nbytes() == x.numel() * x.element_size()


# ---- a wrong layout of the cotangent -------------------------------------------------------------


class AssumesContiguous(Function):
    """Reads the cotangent's memory in the order in which it lies."""

    @staticmethod
    def forward(ctx, x):
        ctx.shape = x.shape
        return x * 2

    @staticmethod
    def backward(ctx, g):
        flat = g.as_strided((g.numel(),), (1,)) if is_dense(g) else g
        return 2 * flat.reshape(ctx.shape)


class ViewsCotangent(AssumesContiguous):
    """Calls `.view` on the cotangent, which raises if it is not contiguous."""

    @staticmethod
    def backward(ctx, g):
        return 2 * g.view(-1).view(ctx.shape)


class RightLayout(AssumesContiguous):
    @staticmethod
    def backward(ctx, g):
        return 2 * g.reshape(-1).reshape(ctx.shape)


# ---- float32 inside float64 ----------------------------------------------------------------------


def single_inside(x):
    """Computes in float32 what comes and goes in float64."""
    return (x.float().sin() * 2).double() if x.dtype == torch.float64 else x.sin() * 2


def right_inside(x):
    return x.sin() * 2


class SingleBackward(Function):
    """Keeps what backward needs in float32."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x.cos().float())
        return x.sin()

    @staticmethod
    def backward(ctx, g):
        (cos,) = ctx.saved_tensors
        return g * cos.to(g.dtype)


class RightBackward(SingleBackward):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x.cos()


# ---- a second derivative that is a constant ------------------------------------------------------


class DetachedSecond(Function):
    """Computes the derivative in forward, where nothing is recorded."""

    @staticmethod
    def forward(ctx, x):
        ctx.slope = 3 * x * x
        return x**3

    @staticmethod
    def backward(ctx, g):
        return g * ctx.slope


class RightSecond(DetachedSecond):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 3 * x * x


# ---- hooks ---------------------------------------------------------------------------------------


def hook_clips(x):
    """Clips the gradient of something in between."""
    y = x * x
    if y.requires_grad:
        y.register_hook(lambda g: g.clamp(-1, 1))
    return y.sin()


def right_hook(x):
    y = x * x
    if y.requires_grad:
        y.register_hook(lambda g: None)
    return y.sin()


# ---- gradients that share memory -----------------------------------------------------------------


class SharedGradients(Function):
    """Returns two views of the cotangent, which become the gradients of both inputs."""

    @staticmethod
    def forward(ctx, x, y):
        return x + y

    @staticmethod
    def backward(ctx, g):
        return g.view_as(g), g.view_as(g)


class RightShared(SharedGradients):
    @staticmethod
    def backward(ctx, g):
        return g.clone(), g.clone()


class AliasesCotangent(Function):
    """Returns the cotangent's own memory."""

    @staticmethod
    def forward(ctx, x):
        return x + 1

    @staticmethod
    def backward(ctx, g):
        return g[:]


class RightAlias(AliasesCotangent):
    @staticmethod
    def backward(ctx, g):
        return g


class ReusesBuffer(Function):
    """Writes every gradient into one buffer, which is handed out each time."""

    @staticmethod
    def forward(ctx, x):
        ctx.buffer = torch.empty_like(x)
        ctx.save_for_backward(x)
        return x.sin()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        ctx.buffer.copy_(g * x.cos())
        return ctx.buffer


# ---- gradients for the wrong input ---------------------------------------------------------------


class ForgetsNeeds(Function):
    """Takes it that both inputs are differentiated or neither is."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        found = [
            g * other for need, other in zip(ctx.needs_input_grad, (y, x), strict=True) if need
        ]
        return tuple(found + [None] * (2 - len(found)))


class RightNeeds(ForgetsNeeds):
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return tuple(
            g * other if need else None
            for need, other in zip(ctx.needs_input_grad, (y, x), strict=True)
        )


class SwapsInputs(ForgetsNeeds):
    """Returns the gradients in the other order."""

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * x, g * y


# ---- writes to the cotangent ---------------------------------------------------------------------


class WritesCotangent(Function):
    """Scales the cotangent in place."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.exp()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g.mul_(x.exp())


class RightWrites(WritesCotangent):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g.mul(x.exp())


# ---- a backward that is not linear ---------------------------------------------------------------


class ClipsLarge(Function):
    """Clips gradients, at a size that small cotangents do not reach."""

    @staticmethod
    def forward(ctx, x):
        return x * 3

    @staticmethod
    def backward(ctx, g):
        return (3 * g).clamp(-100, 100)


class RightLinear(ClipsLarge):
    @staticmethod
    def backward(ctx, g):
        return 3 * g


# ---- wrong at ties and at zero -------------------------------------------------------------------


class TieTwice(Function):
    """At a tie both inputs get the whole cotangent."""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return torch.maximum(x, y)

    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * (x >= y), g * (y >= x)


class RightTie(TieTwice):
    @staticmethod
    def backward(ctx, g):
        x, y = ctx.saved_tensors
        return g * (x >= y), g * (y > x)


def nan_at_zero(x):
    """Hides the pole of a branch that is not taken, in the value alone."""
    return torch.where(x == 0, torch.ones_like(x), x.sin() / x)


def right_at_zero(x):
    safe = torch.where(x == 0, torch.ones_like(x), x)
    return torch.where(x == 0, 1 - x * x / 6, safe.sin() / safe)


# ---- breaks on empty -----------------------------------------------------------------------------


class BreaksOnEmpty(Function):
    """Asks for the largest entry in backward."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        size = g.abs().max().clamp(min=1e-30)
        return size * (g / size * 2 * x)


class RightEmpty(BreaksOnEmpty):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x


# ---- wrong for other memory ----------------------------------------------------------------------


class AssumesStrides(Function):
    """Reads its input's memory in the order in which it lies."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        flat = x.as_strided((x.numel(),), (1,)) if is_dense(x) else x
        return g * 2 * flat.reshape(x.shape)


# ---- a mean that is not scaled -------------------------------------------------------------------


class UnscaledMean(Function):
    """Forgets to divide by the number of entries."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return (x * x).mean()

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x


class RightMean(UnscaledMean):
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * 2 * x / x.numel()


# ---- what else is right --------------------------------------------------------------------------


class Net(torch.nn.Module):
    """Two layers with what makes them differ in between."""

    def __init__(self):
        super().__init__()
        self.first = torch.nn.Linear(3, 4)
        self.norm = torch.nn.LayerNorm(4)
        self.last = torch.nn.Linear(4, 2)

    def forward(self, x):
        return self.last(torch.tanh(self.norm(self.first(x))))


torch.manual_seed(0)
net = Net()


def several(x, y):
    return {"sum": x + y, "parts": (x * y, x.sum()), "places": x.argmax()}


def nested(batch, scale):
    return batch["left"] * batch["right"][0] * scale


def taken(x, index):
    return x.index_select(0, index)


def dropout(x):
    return functional.dropout(x, 0.5)


def softmax(x):
    return x.softmax(-1)


def layer_norm(x, weight, bias):
    return functional.layer_norm(x, (3,), weight, bias)


def sort(x):
    return x.sort(-1)


def turned(x):
    return x.T


def loss(x, labels):
    return functional.cross_entropy(x, labels)


LABELS = np.array([2, 0, 1])
OTHERS = {
    "relu": (torch.relu, X),
    "abs": (torch.abs, X),
    "sort": (sort, X),
    "softmax": (softmax, X),
    "layer_norm": (layer_norm, X, ROW, ROW[::-1].copy()),
    "several": (several, X, Y),
    "nested": (nested, {"left": X, "right": (Y, None)}, 2.0),
    "taken": (taken, X, LABELS),
    "dropout": (dropout, X),
    "net": (net, X),
    "turned": (turned, X),
    "loss": (loss, X, LABELS),
    "matmul": (torch.matmul, X, Y),
    "logsumexp": (torch.logsumexp, X, 0),
    "amax": (torch.amax, X),
    "prod": (torch.prod, X),
    "sqrt": (torch.sqrt, np.abs(X)),
    "log": (torch.log, np.abs(X)),
}

PAIRS = {
    "lost broadcast": (LostBroadcast, RightBroadcast, X, ROW),
    "detached factor": (detached_factor, right_factor, X),
    "saved tensor mutated": (MutatedSaved, RightSaved, X),
    "cotangent's memory read": (AssumesContiguous, RightLayout, X),
    "cotangent viewed": (ViewsCotangent, RightLayout, X),
    "float32 inside": (single_inside, right_inside, X),
    "float32 in backward": (SingleBackward, RightBackward, X),
    "second derivative constant": (DetachedSecond, RightSecond, X),
    "hook clips": (hook_clips, right_hook, X),
    "gradients share memory": (SharedGradients, RightShared, X, Y),
    "cotangent's memory returned": (AliasesCotangent, RightAlias, X),
    "buffer reused": (ReusesBuffer, RightBackward, X),
    "needs_input_grad forgotten": (ForgetsNeeds, RightNeeds, X, Y),
    "inputs swapped": (SwapsInputs, RightNeeds, X, Y),
    "cotangent overwritten": (WritesCotangent, RightWrites, X),
    "not linear": (ClipsLarge, RightLinear, X),
    "tie counted twice": (TieTwice, RightTie, X, Y),
    "nan at zero": (nan_at_zero, right_at_zero, X),
    "breaks on empty": (BreaksOnEmpty, RightEmpty, X),
    "memory read": (AssumesStrides, RightEmpty, X),
    "mean not scaled": (UnscaledMean, RightMean, X),
    "infinity divided": (Overflows, RightOverflow, X),
    "far values cut": (CutsFar, RightFar, X),
    "blocks forgotten": (ForgetsBlocks, RightBlocks, X),
}
"""What is wrong, the function that is, its twin that is not, and their inputs."""
