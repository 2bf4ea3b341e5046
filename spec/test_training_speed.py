"""Speed of training: what recording costs, and what compilers, devices and workers gain.

Workloads come first, laws after them.
"""

from functools import partial
from itertools import chain

from gradspec.conformance import claim, measured, values, workload
from gradspec.conformance.speed.items import Busy, Counted, Numbers, Slow, lasting
from gradspec.conformance.speed.machine import cores
from gradspec.conformance.speed.workloads import constant

DEPTHS = (5, 20, 80)
WORKERS = tuple(sorted({0, 1, 2, cores(), 2 * cores()}))

# ---- recording -----------------------------------------------------------------------------------


@workload(sizes=DEPTHS, operands=lambda be, n: [constant(be, 100_000), n], leaves="leaf")
def recorded(be, leaf, depth):
    """A chain of sines, recorded, by its depth."""
    for _ in range(depth):
        leaf = be.sin(leaf)
    return leaf


@workload(
    sizes=DEPTHS,
    operands=lambda be, n: [constant(be, 100_000), n],
    leaves="leaf",
    needs="no_grad",
)
def unrecorded(be, leaf, depth):
    """The same chain under no_grad."""
    with be.no_grad():
        return recorded(be, leaf, depth)


@workload(sizes=DEPTHS, operands=lambda be, n: [constant(be, 100_000), n], leaves="leaf")
def graph_freed(be, leaf, depth):
    """The chain and the way back, after which its result is still there."""
    y = be.sum(recorded(be, leaf, depth))
    be.backward(y)
    return y


@workload(
    sizes=DEPTHS,
    operands=lambda be, n: [constant(be, 100_000), n],
    leaves="leaf",
    needs="retain_graph",
)
def graph_kept(be, leaf, depth):
    """The same, with the graph retained."""
    y = be.sum(recorded(be, leaf, depth))
    be.backward(y, retain_graph=True)
    return y


@workload(
    sizes=(8, 64, 1024), arrays=lambda n: [values(4, n), values(n, n)], leaves="w", needs="relu"
)
def forward_recorded(be, x, w):
    """Five layers for a batch of 4, recorded, by their width."""
    for _ in range(5):
        x = be.relu(be.matmul(x, w))
    return x


@workload(
    sizes=(8, 64, 1024),
    arrays=lambda n: [values(4, n), values(n, n)],
    leaves="w",
    needs="relu no_grad",
)
def forward_unrecorded(be, x, w):
    """The same layers under no_grad."""
    with be.no_grad():
        return forward_recorded(be, x, w)


@measured("SPD-58", on="any")
def depth_costs_memory_only_where_it_is_recorded(lab):
    """The memory that a forward pass takes grows with its depth when it is recorded, and does not
    under no_grad.
    """
    deep, shallow = DEPTHS[-1], DEPTHS[0]
    with_graph = lab.peak(recorded, deep) / lab.peak(recorded, shallow)
    without = lab.peak(unrecorded, deep) / lab.peak(unrecorded, shallow)
    return (with_graph > deep / shallow / 2) & (without < 2)


@measured("SPD-59", on="any")
def no_grad_saves_time_on_small_work(lab):
    """A forward pass under no_grad is faster where its operations are small; the larger they are,
    the less of the time it saves.
    """
    saving = lab.ratio(forward_recorded, forward_unrecorded)
    return (saving[8] > 1) & (saving[8] / saving[1024] > 1)


@measured("SPD-60", on="any")
def recording_holds_memory(lab):
    """A network with a nonlinearity holds more memory after a forward pass that was recorded."""
    return lab.kept(forward_recorded, 1024) / lab.kept(forward_unrecorded, 1024) > 1


@measured("SPD-61", on="any")
def backward_lets_go_of_the_graph(lab):
    """After backward the memory of the graph is free, though its root is still there, unless it is
    retained.
    """
    return lab.kept(graph_freed, 80) / lab.kept(graph_kept, 80) < 0.1


# ---- compilers, several devices, workers ---------------------------------------------------------


@workload(sizes=(2**20, 2**24), leaves="")
def twenty_steps(be, x):
    """Twenty operations entry by entry, one after the other."""
    for _ in range(10):
        x = x * 0.99 + 0.01
    return x


@workload(
    sizes=(2**20, 2**24),
    operands=lambda be, n: [be.fused(partial(twenty_steps, be), be.device), constant(be, n)],
    needs="fusion",
)
def twenty_steps_fused(be, compiled, x):
    """The same, compiled."""
    return compiled(x)


@workload(
    sizes=(1, 2),
    operands=lambda be, n: [
        be.replicated(be.layer("Linear", 16, 16), n),
        constant(be, 4, 16),
    ],
    needs="replicas nn",
    on="gpu",
)
def shared_small(be, layer, batch):
    """A small layer for a small batch, by the number of devices that share it."""
    return layer(batch)


@workload(
    sizes=(1, 2),
    operands=lambda be, n: [
        be.replicated(be.layer("Linear", 8192, 8192), n),
        constant(be, 8192, 8192),
    ],
    needs="replicas nn",
    on="gpu",
)
def shared_large(be, layer, batch):
    """A large layer for a large batch, by the number of devices that share it."""
    return layer(batch)


@workload(
    sizes=WORKERS,
    operands=lambda be, n: [be.loader(Numbers(500), batch_size=50, num_workers=n)],
    needs="datasets",
    on="cpu",
)
def epoch(be, batches):
    """An epoch of items that cost nothing, from the start of the workers, by their number."""
    *_, last = batches
    return last


@workload(
    sizes=WORKERS,
    operands=lambda be, n: [be.loader(Slow(100, 5e-3), batch_size=5, num_workers=n)],
    needs="datasets",
    on="cpu",
)
def epoch_of_waits(be, batches):
    """An epoch of items that take a wait of 5 ms each, from the start of the workers."""
    return epoch(be, batches)


@workload(
    sizes=WORKERS,
    operands=lambda be, n: [lasting(be, Slow(50, 2e-3), n)],
    needs="datasets",
    on="cpu",
)
def later_epoch_of_waits(be, batches):
    """An epoch of such items by workers who are there already."""
    return epoch(be, batches)


@workload(
    sizes=WORKERS,
    operands=lambda be, n: [lasting(be, Busy(50, 2e-3), n)],
    needs="datasets",
    on="cpu",
)
def later_epoch_of_work(be, batches):
    """An epoch of items that take 2 ms of computing each, by workers who are there already."""
    return epoch(be, batches)


@measured("SPD-63", on="any")
def known_graphs_can_be_fused(lab):
    """A chain of operations that a compiler sees as a whole is faster than one by one."""
    return lab.ratio(twenty_steps, twenty_steps_fused).last > 1


@measured("SPD-54", on="gpu")
def several_devices_share_large_work_only(lab):
    """Two devices are slower than one on a small layer, and less than twice as fast on a large
    one.
    """
    small, large = lab.times(shared_small), lab.times(shared_large)
    return (small[2] / small[1] > 1) & (large[1] / large[2] < 2)


@measured("SPD-55", on="cpu")
def workers_have_to_be_worth_their_start(lab):
    """Workers make an epoch longer if its items cost nothing, and shorter if fetching them takes
    longer than starting the workers.
    """
    cheap, dear = lab.times(epoch), lab.times(epoch_of_waits)
    return (cheap[2] / cheap[0] > 1) & (dear[0] / dear[2] > 1)


@measured("SPD-56", on="cpu")
def what_items_cost_says_how_many_workers(lab):
    """More workers than cores gain where items keep a worker waiting, and less than a tenth where
    they keep it computing.
    """
    waits, work = lab.times(later_epoch_of_waits), lab.times(later_epoch_of_work)
    n = cores()
    return (waits[n] / waits[2 * n] > 1) & (work[n] / work[2 * n] < 1.1)


@claim("SPD-57", about="loader", needs="datasets")
def test_workers_do_not_change_batches(be):
    """Workers change when a batch is ready, but neither its items nor the order of the batches."""
    alone, shared = (
        list(be.loader(Numbers(20), batch_size=3, num_workers=n, generator=be.generator(0)))
        for n in (0, 2)
    )
    assert [batch.tolist() for batch in alone] == [batch.tolist() for batch in shared]
    assert [*chain(*(batch.tolist() for batch in alone))] == [*range(20)]


@claim("SPD-64", about="loader", needs="datasets")
def test_items_made_on_demand_do_not_pile_up(be):
    """When a data set makes each item on demand, at most one batch of items is alive at a time."""
    items = Counted(40)
    for _ in be.loader(items, batch_size=4, generator=be.generator(0)):
        assert items.most <= 4
    assert items.fetched == 40
