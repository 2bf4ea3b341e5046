"""Fine-tuning: a network that starts from another one's weights, in whole or in part."""

import numpy as np

from gradspec.conformance import Total, claim, given, workload
from gradspec.conformance.strategies import NONZERO, arrays, sampled_from
from gradspec.conformance.strategies.files import round_trip
from gradspec.conformance.strategies.modules import fill, lenet, lenet_shapes
from gradspec.conformance.strategies.random_numbers import ks_ratio, seeds, uniform


@claim("TRN-66", about="layer optimizer", needs="backward nn optim serialize data views")
@given(
    x=arrays(shape=(4, 3), values=NONZERO),
    w=arrays(shape=(2, 3), values=NONZERO),
    b=arrays(shape=(2,)),
    v=arrays(shape=(4, 2), values=NONZERO),
)
def test_copied_weights_give_copied_outputs(be, x, w, b, v):
    """A network that has loaded the state of another gives the same outputs bit by bit until its
    first update, and shares no memory with it: a step moves all parameters of the one, and none of
    the other's.
    """
    teacher, pupil = (
        be.layer("Sequential", be.layer("Linear", 3, 2), be.layer("BatchNorm1d", 2)).eval()
        for _ in range(2)
    )
    fill(be, teacher, w.copy(), b.copy(), b.copy(), b.copy())
    pupil.load_state_dict(teacher.state_dict())
    be.same(pupil(be.tensor(x)), teacher(be.tensor(x)))
    parameters = list(pupil.parameters())
    for p, q in zip(parameters, teacher.parameters(), strict=True):
        assert not be.shares_memory(p, q)
    be.backward(be.sum(be.mul(pupil[0](be.tensor(x)), v)))
    be.optimizer("SGD", parameters, lr=0.5).step()
    be.check(pupil[0].weight, Total.of(w, *(-0.5 * v[:, :, None] * x[:, None])))
    be.check(pupil[0].bias, Total.of(b, *(-0.5 * v)))
    be.check(teacher[0].weight, w)
    be.check(teacher[0].bias, b)


@workload(needs="nn detach reshape")
def tune(be, leaf, trunk=None, head=None, w=1.0, inputs=10):
    """A frozen trunk, and the gradient of the head that is trained on top of it."""
    trunk = trunk or be.layer("Linear", inputs, 10)
    head = head or be.layer("Linear", 10, 1)
    for parameter in trunk.parameters():
        be.set_requires_grad(parameter, False)
    features = trunk(be.reshape(be.detach(leaf), (-1, inputs)))
    be.backward(be.sum(be.mul(head(features), w)))
    return be.grad(head.bias)


@claim(
    "TRN-67",
    about="layer optimizer",
    needs="backward nn optim serialize data saved_tensors detach reshape",
)
@given(
    x=arrays(shape=(4, 3)),
    w=arrays(shape=(2, 3)),
    v=arrays(shape=(4, 1), values=NONZERO),
    frozen_statistics=sampled_from([False, True]),
)
def test_only_the_head_of_a_frozen_trunk_learns(be, x, w, v, frozen_statistics):
    """If no parameter of the trunk requires grad, the trunk records no graph, gradients end at the
    head, and a step on all parameters changes those of the head alone; running statistics of the
    trunk change with every batch all the same, unless the trunk is in evaluation mode.
    """
    linear = fill(be, be.layer("Linear", 3, 2), w, np.zeros(2))
    trunk = be.layer("Sequential", linear, be.layer("BatchNorm1d", 2))
    head = fill(be, be.layer("Linear", 2, 1), np.ones((1, 2)), np.zeros(1))
    net = be.layer("Sequential", trunk, head)
    parameters, frozen = list(net.parameters()), list(trunk.parameters())
    before = {name: be.numpy(value) for name, value in net.state_dict().items()}
    trunk.train(not frozen_statistics)
    be.check(tune(be, be.tensor(x), trunk, head, v, 3), Total.along(v, 0))
    with be.saved_tensors() as saved:
        assert not be.requires_grad(trunk(be.tensor(x)))
    assert saved.packed == 0
    be.optimizer("SGD", parameters, lr=0.5, weight_decay=0.5).step()
    assert [be.grad(parameter) for parameter in frozen] == [None] * 4
    changed = {
        name
        for name, value in net.state_dict().items()
        if not np.array_equal(be.numpy(value), before[name])
    }
    assert ("0.1.num_batches_tracked" in changed) is not frozen_statistics
    assert changed <= {"1.weight", "1.bias"} | (
        set()
        if frozen_statistics
        else {"0.1.running_mean", "0.1.running_var", "0.1.num_batches_tracked"}
    )
    be.check(head.bias, Total.along(-0.5 * v, 0))


@claim("TRN-68", about="layer", needs="nn random")
@given(seed=seeds(), place=sampled_from([0, 2]))
def test_a_new_head_takes_the_place_of_the_old_one(be, seed, place):
    """A layer put in the place of another is registered instead of it: its parameters, which
    require grad and start at random within one over the root of the number of inputs, are listed,
    and those of the other are not.
    """
    layers = [be.layer("Linear", 100, 100) for _ in range(3)]
    net = be.layer("Sequential", *layers)
    old = [id(p) for p in net.parameters()]
    heads = []
    with be.fork_random():
        for number in (seed, seed ^ 1):
            be.manual_seed(number)
            heads.append(be.layer("Linear", 100, 100))
    head, other = heads
    net[place] = head
    new = list(net.parameters())
    kept = [key for n, key in enumerate(old) if n // 2 != place]
    assert [id(p) for p in new if id(p) in old] == kept
    assert [id(p) for p in new if id(p) not in old] == [id(head.weight), id(head.bias)]
    assert all(be.requires_grad(p) for p in new)
    drawn = be.numpy(head.weight).ravel()
    assert ks_ratio(drawn, uniform(-0.1, 0.1)) <= 1
    assert not np.array_equal(drawn, be.numpy(other.weight).ravel())


@claim("TRN-69", about="layer", needs="nn random serialize max_pool2d relu view")
@given(seed=seeds(), channels=sampled_from([1, 3]))
def test_a_plan_says_nothing_of_weights(be, seed, channels):
    """A network that is made anew starts at random: made twice by one plan it has the same names
    and shapes, and other weights. Weights from a file make the values the same, and change neither.
    """
    with be.fork_random():
        nets = []
        for number in (seed, seed, seed ^ 1):
            be.manual_seed(number)
            nets.append(lenet(be, channels))
    shapes = lenet_shapes(channels)
    for net in nets:
        assert {name: tuple(be.shape(x)) for name, x in net.state_dict().items()} == shapes
    first, again, other = ([be.numpy(p) for p in net.parameters()] for net in nets)
    assert all(np.array_equal(p, q) for p, q in zip(first, again, strict=True))
    assert not any(np.array_equal(p, q) for p, q in zip(first, other, strict=True))
    nets[2].load_state_dict(round_trip(be, nets[0].state_dict()))
    for name, value in nets[2].state_dict().items():
        be.same(value, nets[0].state_dict()[name])
