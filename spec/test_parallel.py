"""Parallel training: a batch, a network or a layer divided among workers."""

import numpy as np

from gradspec.conformance import Total, claim, example, given, workload
from gradspec.conformance.strategies import arrays, integers
from gradspec.conformance.strategies.modules import fill
from gradspec.conformance.truth.oracles.jets import Jet


@workload
def stages(be, leaf):
    """Two stages of a network: the second on what the first has sent, its gradient sent back."""
    first = be.mul(leaf, leaf)
    entry = be.set_requires_grad(be.detach(first))
    be.backward(be.sum(be.mul(entry, entry)))
    be.backward(first, be.grad(entry))
    return be.grad(leaf)


# ---- the batch is divided ------------------------------------------------------------------------


@claim("DEV-06", about="distributed", needs="devices nn backward cat", device="cpu")
@example(x=np.arange(20.0).reshape(10, 2), w=np.ones((1, 2)), cut=3)
@given(x=arrays(shape=(6, 2)), w=arrays(shape=(1, 2)), cut=integers(1, 5))
def test_replicas_give_the_gradient_of_the_whole_batch(be, x, w, cut):
    """Identical replicas on the shards of a batch, whose gradients are summed, each by its share of
    the samples for a loss that is a mean, all hold the gradient of the whole batch; so does one
    loss of their concatenated outputs. The plain mean of the gradients weighs every shard the same.
    """
    parts, n = (x[:cut], x[cut:]), len(x)
    weighted = [2 * len(part) / n for part in parts]

    # Replicas have one layout: that of an array of its own.
    layers = [
        fill(be, be.layer("Linear", 2, 1, bias=False), start)
        for start in (w.copy(), np.zeros((1, 2)))
    ]

    def member(rank, replicate):
        replica, found = replicate(layers[rank]), []
        for share in (weighted[rank], 1.0):
            y = replica(be.tensor(parts[rank]))
            # A group takes the plain mean of its members: each shard counts by its share times two.
            be.backward(share * be.mean(y * y))
            found.append(be.numpy(be.grad(layers[rank].weight)))
            layers[rank].zero_grad()
        return [be.tensor(each) for each in found]

    def expected(shares):
        own = Jet.exact(x)
        slopes = 2 * own * (own @ w.T)
        scales = np.repeat(
            [s / len(p) / 2 for s, p in zip(shares, parts, strict=True)], (cut, n - cut)
        )
        return (slopes * scales[:, None]).sum(0)[None]

    for layer, (gradient, plain) in zip(layers, be.distributed(member, 2), strict=True):
        be.check(layer.weight, w)
        be.check(gradient, expected(weighted))
        be.check(plain, expected([1.0, 1.0]))
    y = be.cat([layer(be.tensor(part)) for layer, part in zip(layers, parts, strict=True)], 0)
    be.backward(be.mean(y * y))
    be.check(be.add(*(be.grad(layer.weight) for layer in layers)), expected(weighted))


@claim("DEV-09", about="distributed", needs="devices nn backward detach", device="cpu")
@given(batch=integers(1, 40), inputs=integers(1, 4), outputs=integers(1, 4))
def test_what_replicas_send_does_not_depend_on_the_batch(be, batch, inputs, outputs):
    """In each step every replica hands in one gradient of the size of the parameters, whatever the
    size of the batch; what stages of a divided network hand on, and back, grows with it.
    """
    layers = [be.layer("Linear", inputs, outputs) for _ in range(2)]
    ones = np.ones((batch, inputs))

    def member(rank, replicate):
        sent = []
        replica = replicate(layers[rank], sent.append)
        for _ in range(2):
            be.backward(be.sum(replica(be.tensor(ones))))
        return sum(sent)

    assert be.distributed(member, 2) == [2 * (inputs + 1) * outputs] * 2
    entry = be.set_requires_grad(be.detach(layers[0](be.tensor(ones))))
    be.backward(be.sum(entry * entry))
    handed = [be.numpy(entry).size, be.numpy(be.grad(entry)).size]
    assert handed == [batch * outputs] * 2


@claim("DEV-60", about="data_parallel", needs="devices nn backward", level="contract")
@given(x=arrays(shape=(5, 3)), w=arrays(shape=(2, 3)), b=arrays(shape=(2,)), v=arrays(shape=(5, 2)))
def test_a_wrapper_of_a_layer_computes_what_the_layer_does(be, x, w, b, v):
    """DataParallel takes data from the host and returns the outputs of the layer that it wraps,
    sample by sample in their order, on the first GPU, where the layer has to be, if there is one;
    gradients arrive at the parameters of the layer itself, and only their names change.
    """
    home = be.devices()[-1]
    layer = be.to(fill(be, be.layer("Linear", 3, 2), w, b), home)
    wrapped = be.data_parallel(layer)
    y = wrapped(be.tensor(x, "cpu"))
    assert be.device_of(y) == home
    be.backward(y, be.tensor(v, home))
    products = x[:, None, :] * w
    bias = np.broadcast_to(b[:, None], (5, 2, 1))
    be.check(y, Total.along(np.concatenate([products, bias], 2), 2))
    be.check(be.grad(layer.weight), Total.matmul(v.T, x))
    be.check(be.grad(layer.bias), Total.along(v, 0))
    assert all(p is q for p, q in zip(wrapped.parameters(), layer.parameters(), strict=True))
    assert [*wrapped.state_dict()] == ["module.weight", "module.bias"]


# ---- the network is divided ----------------------------------------------------------------------


@claim("DEV-07", about="backward", needs="backward detach")
@given(x=arrays(), w=arrays(), scales=arrays("scales", shape=(4,)), cut=integers(1, 3))
def test_a_network_cut_in_two_has_the_same_gradients(be, x, w, scales, cut):
    """Where a network is cut into stages, each of which starts from the detached output of the last
    and hands the gradient of that back as cotangent, its gradients are those of the uncut network.
    """
    be.check(stages(be, be.leaf(x)), 4 * x**3)
    leaf, factors = be.leaf(x), [be.leaf(s) for s in scales]
    first = leaf
    for factor in factors[:cut]:
        first = first * factor
    entry = be.set_requires_grad(be.detach(first))
    second = entry * entry
    for factor in factors[cut:]:
        second = second * factor
    be.backward(second, w)
    be.backward(first, be.grad(entry))
    inner, outer = np.prod(scales[:cut]), np.prod(scales[cut:])
    be.check(be.grad(leaf), 2 * w * x * inner**2 * outer)
    for n, factor in enumerate(factors):
        others = np.prod(np.delete(scales, n))
        slope = (
            2 * inner * others if n < cut else inner**2 * np.prod(np.delete(scales[cut:], n - cut))
        )
        be.check(be.grad(factor), Total.along(w * x**2 * slope))


# ---- a layer is divided --------------------------------------------------------------------------


@claim("DEV-08", about="backward", needs="backward cat transpose")
@given(x=arrays(shape=(3, 2)), w=arrays(shape=(4, 2)), v=arrays(shape=(3, 4)), cut=integers(1, 3))
def test_a_layer_divided_by_outputs_is_block_algebra(be, x, w, v, cut):
    """A linear layer whose output units are divided among workers gives the same output when those
    of the workers are concatenated; the gradient of its weights is that of the blocks, and the
    gradient of its input the sum over the workers.
    """
    leaf, blocks = be.leaf(x), [be.leaf(w[:cut]), be.leaf(w[cut:])]
    outputs = [be.matmul(leaf, be.transpose(block, 0, 1)) for block in blocks]
    y = be.cat(outputs, 1)
    be.check(y, Total.matmul(x, w.T))
    be.backward(y, v)
    for block, rows in zip(blocks, (v[:, :cut], v[:, cut:]), strict=True):
        be.check(be.grad(block), Total.matmul(rows.T, x))
    be.check(be.grad(leaf), Total.matmul(v, w))
