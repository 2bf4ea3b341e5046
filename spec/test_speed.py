"""Speed: what a device gains and loses, and the time of every workload and operation.

Workloads come first, laws after them; the other chapters have workloads of their own.
"""

import pytest

from gradspec import spec
from gradspec.conformance import measured, timed, timed_over, values, workload
from gradspec.conformance.speed.operations import operations_at_size
from gradspec.conformance.speed.workloads import host, shuffled, workloads_of

SIDES = (16, 64, 256, 512, 1024, 2048, 4096, 8192, 16384)
COUNTS = (2**8, 2**12, 2**16, 2**20, 2**22, 2**24, 2**26, 500_000_000)
WIDTHS = (8, 64, 256, 1024, 4096)
BATCH = 64
PIECES = 1000


# ---- large and dense, or neither -----------------------------------------------------------------


@workload(sizes=COUNTS, arrays=lambda n: [values(n), values(n)], leaves="", flops=float)
def added(be, x, y):
    """Two tensors added entry by entry; the last size is the notes' 50000 by 10000."""
    return be.add(x, y)


@workload(sizes=COUNTS, leaves="", needs="clone", limit="bytes")
def copied(be, x):
    """A copy within the memory of the device: the limit of what only moves values."""
    return be.clone(x)


@workload(
    sizes=SIDES,
    arrays=lambda n: [values(n, n), values(n, n)],
    leaves="",
    flops=lambda n: 2.0 * n**3,
    limit="flops",
)
def product(be, x, y):
    """The product of two square matrices: the limit of what only computes."""
    return be.matmul(x, y)


@workload(
    sizes=WIDTHS,
    arrays=lambda n: [values(BATCH, 1000), values(1000, n), values(n, 10)],
    leaves="w v",
    needs="relu mse_loss",
    flops=lambda n: 2.0 * BATCH * n * (2 * 1000 + 3 * 10),
)
def mlp_step(be, x, w, v):
    """The gradients of the loss of a network of two layers, by its width; batches of 64."""
    be.backward(be.mean(be.matmul(be.relu(be.matmul(x, w)), v)))
    return be.grad(w)


@workload(
    sizes=(4, 64, 1024, 8192),
    arrays=lambda n: [
        *(values(n, 1, 32, 32), values(6, 1, 5, 5), values(16, 6, 5, 5)),
        *(values(400, 120), values(120, 84), values(84, 10)),
    ],
    leaves="k1 k2 w1 w2 w3",
    needs="relu conv2d max_pool2d reshape",
    flops=lambda n: 3 * 2.0 * n * (784 * 150 + 100 * 2400 + 400 * 120 + 120 * 84 + 840),
)
def lenet_step(be, x, k1, k2, w1, w2, w3):
    """The gradients of a network of two convolutions and three layers, by the size of a batch."""
    h = be.max_pool2d(be.relu(be.conv2d(x, k1)), 2)
    h = be.reshape(be.max_pool2d(be.relu(be.conv2d(h, k2)), 2), (-1, 400))
    be.backward(be.mean(be.matmul(be.relu(be.matmul(be.relu(be.matmul(h, w1)), w2)), w3)))
    return be.grad(k1)


@workload(
    sizes=(6, 32, 128, 512),
    arrays=lambda n: [
        *(values(4, 1, 32, 32), values(n, 1, 5, 5), values(16, n, 5, 5)),
        *(values(400, 120), values(120, 84), values(84, 10)),
    ],
    leaves="k1 k2 w1 w2 w3",
    needs="relu conv2d max_pool2d reshape",
    flops=lambda n: 3 * 2.0 * 4 * (784 * 25 * n + 100 * 400 * n + 58920),
)
def wide_lenet_step(be, x, k1, k2, w1, w2, w3):
    """The same for batches of 4, by the number of channels between the convolutions."""
    return lenet_step(be, x, k1, k2, w1, w2, w3)


@measured("SPD-01", on="gpu")
def small_sums_lose(lab):
    """A sum of operands that lie on the host takes longer on a GPU than on the CPU, if small."""
    return lab.gain(added).upto(2**16) < 1


@measured("SPD-02", on="gpu")
def size_is_not_what_a_sum_lacks(lab):
    """A sum of large operands gains much on a GPU that holds them, and little where they are moved:
    the way there, not the size, keeps the gain small.
    """
    resident, moved = lab.kernel_gain(added).last, lab.gain(added).last
    return (resident > 5) & (resident / moved > 5)


@measured("SPD-03", on="gpu")
def moving_outweighs_adding(lab):
    """Moving two operands to a GPU takes several times as long as adding them there."""
    return (lab.times(sent) * 2 / lab.times(added)).since(2**20) > 3


@measured("SPD-04", on="gpu")
def large_products_gain(lab):
    """The larger two matrices on the host are, the more a GPU gains on their product, and on large
    ones it wins.
    """
    gain = lab.gain(product).since(64)
    return (gain.trend > 0.6) & (gain.last > 1)


@measured("SPD-05", on="gpu")
def a_launch_is_no_measurement(lab):
    """A call returns long before a GPU has done the work: a clock that does not wait shows less
    than a third of the time.
    """
    return (lab.launches(added) / lab.times(added)).since(2**26) < 1 / 3


@measured("SPD-51", on="gpu")
def no_factor_is_universal(lab):
    """A GPU beats the CPU on large products; what it gains differs by more than a factor of ten
    from one size to another, so no factor holds in general.
    """
    gain = lab.kernel_gain(product)
    return (gain.last > 1) & (gain.last / gain.first > 10)


@measured("SPD-52", on="gpu")
def small_networks_gain_little(lab):
    """A small network gains less than a factor of two on a GPU if batches are small, and the more
    the larger they are.
    """
    gain = lab.gain(lenet_step)
    return (gain[4] < 2) & (gain.trend > 0.6)


@measured("SPD-53", on="gpu")
def wider_networks_gain_more(lab):
    """The wider a network is, the more a GPU gains on it."""
    return lab.gain(wide_lenet_step).trend > 0.6


# ---- where a device loses ------------------------------------------------------------------------


@workload(sizes=COUNTS[3:-1], operands=lambda be, n: [host(be, n)], needs="transfer", on="gpu")
def sent(be, x):
    """A tensor in ordinary memory of the host, sent to the device."""
    return be.moved(x, be.device, wait=False)


@workload(
    sizes=COUNTS[3:-1], operands=lambda be, n: [be.pinned(host(be, n))], needs="transfer", on="gpu"
)
def sent_from_pinned(be, x):
    """The same from page-locked memory."""
    return be.moved(x, be.device, wait=False)


@workload(arrays=lambda n: [values(n), shuffled(n)], needs="scatter_add")
def scattered(be, leaf, places):
    """Each entry added to a place of its own, and the way back."""
    be.backward(be.sum(be.scatter_add(be.mul(leaf, 0), 0, places, leaf * leaf)))
    return be.grad(leaf)


@workload(arrays=lambda n: [values(n), shuffled(n, among=8)], needs="scatter_add")
def scattered_onto_few(be, leaf, places):
    """Each entry added to one of eight places, so that the additions collide, and the way back."""
    return scattered(be, leaf, places)


@workload(arrays=lambda n: [values(n), shuffled(n)], needs="gather")
def gathered(be, leaf, places):
    """Each entry fetched once, and its gradient brought back."""
    be.backward(be.sum(be.mul(be.gather(leaf, 0, places), be.gather(leaf, 0, places))))
    return be.grad(leaf)


@workload(arrays=lambda n: [values(n), shuffled(n, among=8)], needs="gather")
def gathered_from_few(be, leaf, places):
    """Eight entries fetched many times, so that their gradients collide."""
    return gathered(be, leaf, places)


@workload(arrays=lambda n: [values(n // 10, 10)], leaves="", needs="t views")
def viewed(be, x):
    """The transpose of a matrix, as a view."""
    return be.t(x)


@workload(arrays=lambda n: [values(n // 10, 10)], leaves="", needs="t contiguous")
def turned_round(be, x):
    """The transpose of a matrix, as a copy."""
    return be.contiguous(be.t(x))


@workload(arrays=lambda n: [values(n // 100, 100)], leaves="", needs="unbind stack")
def in_pieces(be, x):
    """A hundred columns doubled by a small operation each."""
    return be.stack([be.add(column, column) for column in be.unbind(x, 1)], 1)


@workload(arrays=lambda n: [values(n // 100, 100)], leaves="")
def at_once(be, x):
    """All columns doubled by one operation."""
    return be.add(x, x)


@measured("SPD-62", on="gpu")
def pinned_memory_is_sent_faster(lab):
    """Page-locked memory is sent to a GPU faster than other memory, and only its sender need not
    wait.
    """
    pinned, plain = lab.times(sent_from_pinned)[2**26], lab.times(sent)[2**26]
    early = lab.launches(sent_from_pinned)[2**26] / pinned
    return (plain / pinned > 1) & (early < 0.5) & (lab.launches(sent)[2**26] / plain > 0.5)


# ---- every chapter -------------------------------------------------------------------------------

CELLS = [
    pytest.param(work.program, size, id=f"{work.chapter}-{work.name}-{size}")
    for work in workloads_of(spec)
    for size in work.sizes
]


@timed
@pytest.mark.parametrize(("program", "size"), CELLS)
def test_speed(stopwatch, benchmark, be, program, size, part):
    """Each workload of the specification is timed at each of its sizes, on every device."""
    stopwatch.time(benchmark, be, program, size, part)


@timed_over(operations_at_size)
def test_speed_of_operations(stopwatch, benchmark, be, program, size, part):
    """Each operation of the table is timed by itself and with the way back, on small, middling and
    large operands, on every device.
    """
    stopwatch.time(benchmark, be, program, size, part)
