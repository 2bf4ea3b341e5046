"""Data loading: which items make up a batch, who fetches them, and when."""

import os
from itertools import chain, cycle, islice
from math import prod
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest

from gradspec.conformance import ErrorKind, claim, example, given, workload
from gradspec.conformance.strategies import (
    arrays,
    booleans,
    integers,
    lists,
    sampled_from,
    tuples,
)
from gradspec.conformance.strategies.datasets import (
    GUARDED,
    UNGUARDED,
    Items,
    Signed,
    Told,
    arranged,
    batch,
    check_batch,
    images,
    item,
    main_script,
    outcomes,
    structures,
)
from gradspec.conformance.truth.oracles.jets import Jet

# ---- what a pass covers --------------------------------------------------------------------------


@claim("DAT-340", about="lookup", needs="datasets torch", level="contract")
@given(
    count=integers(1, 12),
    replicas=integers(1, 5),
    dropped=booleans(),
    epoch=sampled_from([None, 0, 1, 7]),
)
def test_data_are_shared_among_replicas(be, count, replicas, dropped, epoch):
    """A DistributedSampler gives every replica as many items, in turn: those that are left over are
    dropped, or the first ones come again. Shuffled, an epoch has one order in all of them.
    """
    if dropped and count < replicas:
        return
    make = be.lookup("torch.utils.data:DistributedSampler")
    samplers = [
        make(range(count), replicas, rank, shuffle=epoch is not None, seed=3, drop_last=dropped)
        for rank in range(replicas)
    ]
    order = list(range(count))
    if epoch is not None:
        for sampler in samplers:
            sampler.set_epoch(epoch)
        own = be.generator(3 + epoch, "cpu")
        order = be.tolist(be.randperm(count, generator=own, device="cpu"))
    each = count // replicas if dropped else -(-count // replicas)
    order = list(islice(cycle(order), each * replicas))
    assert [list(sampler) for sampler in samplers] == [order[n::replicas] for n in range(replicas)]
    assert all(len(sampler) == each for sampler in samplers)


@claim("DAT-180", about="lookup", needs="datasets random torch", level="contract")
@given(sizes=lists(integers(1, 4), min_size=1, max_size=4), seed=integers(0, 2**32))
def test_data_are_divided_at_random(be, sizes, seed):
    """random_split divides data into parts of the given sizes, or shares, that have nothing in
    common, and together all of it; who gets what is drawn from the given generator. Put together,
    parts are counted through, from the end as well, and stacked, their items stand side by side.
    """
    data, total = list(range(sum(sizes))), sum(sizes)
    divide, join = (
        be.lookup(f"torch.utils.data:{name}") for name in ("random_split", "ConcatDataset")
    )
    parts, again = (divide(data, sizes, generator=be.generator(seed)) for _ in range(2))
    assert [[*part] for part in parts] == [[*part] for part in again]
    assert [len(part) for part in parts] == sizes
    assert sorted(chain(*parts)) == data
    joined = join(parts)
    assert [joined[place - total] for place in range(total)] == [*chain(*parts)]
    if total >= 4:
        halves = divide(data, [0.5, 0.25, 0.25], generator=be.generator(seed))
        assert sorted(chain(*halves)) == data
        whole = [int(total * share) for share in (0.5, 0.25, 0.25)]
        left = total - sum(whole)
        assert [len(part) for part in halves] == [n + (k < left) for k, n in enumerate(whole)]
    stack = be.lookup("torch.utils.data:StackDataset")
    assert len(stack(data, joined)) == len(stack(data)) == len(stack(a=data)) == total
    assert stack(data, joined)[total - 1] == (data[-1], joined[total - 1])
    assert stack(a=data, b=joined)[0] == {"a": data[0], "b": joined[0]}
    with pytest.raises(ValueError, match="mismatch"):
        stack(data, [*data, 0])
    with pytest.raises(ValueError, match="length"):
        divide(data, [*sizes, 2])


@claim("DAT-181", about="lookup", needs="datasets random torch", level="contract")
@given(count=integers(1, 5), zeros=integers(0, 5), seed=integers(0, 2**32))
def test_items_are_drawn_by_weight(be, count, zeros, seed):
    """A sampler by weights draws nothing of weight zero; without replacement it draws everything
    else once before it ends.
    """
    sampler, weights = be.lookup("torch.utils.data:WeightedRandomSampler"), [1.0] * count
    drawn = [
        [*sampler([0.0] * zeros + weights, n, replacement, generator=be.generator(seed))]
        for n, replacement in ((count, False), (20, True))
    ]
    assert sorted(drawn[0]) == [*range(zeros, zeros + count)]
    assert len(drawn[1]) == 20
    assert all(zeros <= place < zeros + count for place in drawn[1])


@claim("DAT-53", about="loader", needs="datasets random", level="contract")
@example(x=np.arange(10.0), order=[])
@given(x=arrays(min_dims=1, min_size=1), order=lists(integers(0, 11), max_size=5))
def test_a_pass_covers_the_data_in_order(be, x, order):
    """A pass fetches every item once, in the order of the data and one a batch unless told
    otherwise. A sampler names the items to fetch instead, in any order, and goes with no shuffling.
    """
    data = [be.tensor(row) for row in x]
    named = [place % len(x) for place in order]
    with be.fork_random():
        plain, sampled = list(be.loader(data)), list(be.loader(data, sampler=named))
    with be.raises(ErrorKind.ARGUMENT):
        be.loader(data, sampler=named, shuffle=True)
    for got, places in ((plain, range(len(x))), (sampled, named)):
        assert len(got) == len(places)
        for each, place in zip(got, places, strict=True):
            be.same(each, x[place][None].astype(be.dtype))


@claim("DAT-54", about="loader", needs="datasets random")
@example(x=np.arange(10.0), size=4, drop=False)
@example(x=np.arange(10.0), size=4, drop=True)
@given(x=arrays(min_dims=1), size=integers(1, 5), drop=booleans())
def test_only_the_last_batch_is_short(be, x, size, drop):
    """Every batch holds batch_size items but the last one, which holds what is left over, unpadded,
    and does not come if drop_last is set. A size below one is refused.
    """
    data = [be.tensor(row) for row in x]
    with be.fork_random():
        batches = list(be.loader(data, batch_size=size, drop_last=drop))
    for wrong in (0, -size):
        with be.raises(ErrorKind.ARGUMENT):
            be.loader(data, batch_size=wrong)
    want = [x[k : k + size] for k in range(0, len(x) - drop * (len(x) % size), size)]
    assert len(batches) == len(want)
    for got, part in zip(batches, want, strict=True):
        be.same(got, part.astype(be.dtype))


@claim("DAT-64", about="loader", needs="datasets")
@example(n=50_000, size=4, drop=False)
@example(n=10_000, size=4, drop=True)
@given(n=integers(0, 200), size=integers(1, 60), drop=booleans())
def test_the_length_of_a_loader_counts_batches(be, n, size, drop):
    """The length of a loader is the number of items over batch_size, rounded up, or down if a short
    batch is dropped: 12,500 batches of 4 from the 50,000 images of CIFAR-10, all without batches.
    """
    data = Items(range(n))
    loader = be.loader(data, batch_size=size, drop_last=drop)
    assert len(loader) == (n // size if drop else -(-n // size))
    assert len(be.loader(data, batch_size=None)) == n
    assert not data.log


@claim("DAT-55", about="loader", needs="datasets random")
@given(seed=integers(0, 2**32), n=integers(20, 40), size=integers(1, 5))
def test_shuffling_is_a_fresh_permutation_each_pass(be, seed, n, size):
    """Each shuffled pass fetches every item once in a new order, and every order may come. Equal
    seeds, of the global generator or of one given to the loader, give equal orders.
    """
    data, few = Items(range(n)), be.loader(range(3), batch_size=3, shuffle=True)
    orders = []
    with be.fork_random():
        loader = be.loader(data, batch_size=size, shuffle=True)
        for _ in range(2):
            be.manual_seed(seed)
            for _ in range(2):
                data.log.clear()
                list(loader)
                orders.append(list(data.log))
        # One of the six orders of three is missing in 120 passes with probability 2e-9.
        assert len({tuple(be.numpy(whole)) for _ in range(120) for whole in few}) == 6
    for _ in range(2):
        data.log.clear()
        list(be.loader(data, batch_size=size, shuffle=True, generator=be.generator(seed)))
        orders.append(list(data.log))
    first, second, *again, own, own_again = orders
    assert all(sorted(order) == list(range(n)) for order in orders)
    assert first != second
    assert again == [first, second]
    assert own == own_again != list(range(n))


@claim("DAT-57", about="loader", needs="datasets random")
@given(n=integers(0, 9), size=integers(1, 4), ahead=integers(0, 3))
def test_each_iterator_is_a_pass_of_its_own(be, n, size, ahead):
    """A loader is iterable and not an iterator: each iter begins a pass of its own, wherever other
    passes stand, and next drives it until it is over.
    """
    loader = be.loader(range(n), batch_size=size)
    with be.fork_random():
        other = iter(loader)
        for _ in range(ahead):
            next(other, None)
        for _ in range(2):
            one = iter(loader)
            got = [be.numpy(each).tolist() for each in one]
            assert got == [list(range(n))[k : k + size] for k in range(0, n, size)]
            assert next(one, None) is None
        rest = [be.numpy(each).tolist() for each in other]
    assert rest == got[ahead:]
    assert not hasattr(loader, "__next__")
    assert not hasattr(other, "next")


# ---- what data is --------------------------------------------------------------------------------


@claim("DAT-51", about="loader", needs="datasets random torch", level="contract")
@given(x=arrays(min_dims=1, min_size=1), size=integers(1, 4))
def test_whatever_has_a_length_and_items_is_data(be, x, size):
    """A data set is anything with a length and items by index, derived from the library's class or
    not; that class itself has neither. What has no length is refused once a batch is asked for.
    """
    base = be.lookup("torch.utils.data:Dataset")
    rows = [be.tensor(row) for row in x]
    heir = type("Heir", (Items, base), {})
    for data in (rows, tuple(rows), Items(rows), heir(rows)):
        with be.fork_random():
            batches = list(be.loader(data, batch_size=size))
        assert len(batches) == len(range(0, len(x), size))
        for k, got in enumerate(batches):
            be.same(got, x[k * size : (k + 1) * size].astype(be.dtype))
    with be.fork_random(), be.raises(ErrorKind.ARGUMENT):
        next(iter(be.loader(iter(rows))))
    with be.raises(ErrorKind.ARGUMENT):
        len(base())
    with pytest.raises(NotImplementedError):
        base()[0]


@claim("DAT-66", about="loader", needs="datasets random")
@example(classes=["cat", "dog"])
def test_a_loader_knows_nothing_of_folders(be, classes):
    """A loader reads no folder and takes no class from the name of one: to it a path in words is a
    sequence of characters, and any other path is no data.
    """
    with TemporaryDirectory() as folder, be.fork_random():
        for name in classes:
            Path(folder, name).mkdir()
            Path(folder, name, "1.png").touch()
        letters = list(be.loader(folder, batch_size=2))
        with be.raises(ErrorKind.ARGUMENT):
            next(iter(be.loader(Path(folder))))
    assert letters == [list(folder[k : k + 2]) for k in range(0, len(folder), 2)]


@claim("DAT-52", about="loader", needs="datasets random")
@example(n=10, size=2, steps=1)
@given(n=integers(0, 12), size=integers(1, 4), steps=integers(0, 4))
def test_items_are_fetched_when_their_batch_is_asked_for(be, n, size, steps):
    """In one process, neither a loader nor its iterator fetches anything until a batch is asked
    for, and then only the items of that batch.
    """
    data = Items(range(n))
    with be.fork_random():
        batches = iter(be.loader(data, batch_size=size))
        for step in range(steps + 1):
            assert data.log == list(range(min(n, step * size)))
            next(batches, None)


@workload(needs="datasets random reshape unbind cat")
def batched(be, leaf):
    """Ten slices of the leaf, loaded in batches of four and joined again."""
    slices = be.unbind(be.reshape(leaf, (10, -1)))
    with be.fork_random():
        return be.cat(list(be.loader(slices, batch_size=4)))


@claim("DAT-62", about="loader", needs="backward datasets random reshape unbind cat")
@given(x=arrays(shape=(10, 2)), w=arrays(shape=(10, 2)), size=integers(1, 4))
def test_only_the_data_set_transforms(be, x, w, size):
    """A loader hands on what the data set returns, bit for bit, with its graph. A transform is run
    by the data set, once for each item fetched, in the order of fetching.
    """
    leaf, data = be.leaf(x), Items(list(x), transform=lambda row: be.tensor(row * 0.5))
    be.backward(batched(be, leaf), w)
    be.check(be.grad(leaf), w)
    with be.fork_random():
        batches = list(be.loader(data, batch_size=size))
    assert data.log == list(range(10))
    for k, got in enumerate(batches):
        be.same(got, (x[k * size : (k + 1) * size] * 0.5).astype(be.dtype))


# ---- how items become a batch --------------------------------------------------------------------


@claim("DAT-56", about="loader", needs="datasets random", level="contract")
@example(structure=("tensor", "int"), n=8, size=4)
@example(structure="float", n=3, size=2)
@example(structure="text", n=3, size=2)
@example(structure={"x": ["float", "text"], "y": "float32 scalar"}, n=3, size=2)
@given(structure=structures(), n=integers(1, 5), size=integers(1, 3))
def test_a_batch_has_the_structure_of_its_items(be, structure, n, size):
    """A batch is built as its items are: dicts, lists and named tuples stay, tuples become lists,
    arrays and numbers are stacked in their own dtype, and texts stand side by side.
    """
    data = [item(be, structure, k) for k in range(n)]
    with be.fork_random():
        batches = list(be.loader(data, batch_size=size))
    assert len(batches) == len(range(0, n, size))
    for k, got in enumerate(batches):
        check_batch(be, got, batch(be, structure, range(n)[k * size : (k + 1) * size]))


@claim("DAT-60", about="loader", needs="datasets random", level="contract")
@given(lengths=lists(integers(0, 3), min_size=2, max_size=6), size=integers(2, 3))
def test_collate_fn_makes_the_batch(be, lengths, size):
    """collate_fn is given the items of a batch in a list, and what it returns is the batch, as it
    is; with batch_size None it is given each item. By default, items of unequal shapes and items
    that are no data are refused.
    """
    ragged, mark = [be.tensor(np.ones(length)) for length in (4, *lengths)], object()
    with be.fork_random():
        gathered = list(be.loader(ragged, batch_size=size, collate_fn=lambda items: items))
        singly = list(be.loader(ragged, batch_size=None, collate_fn=lambda one: one))
        marked = list(be.loader(ragged, batch_size=size, collate_fn=lambda _: mark))
        for wrong, kind in ((ragged, ErrorKind.SHAPE), ([None, None], ErrorKind.ARGUMENT)):
            with be.raises(kind):
                list(be.loader(wrong, batch_size=2))
    assert [len(each) for each in gathered[:-1]] == [size] * (len(gathered) - 1)
    for got in (chain.from_iterable(gathered), singly):
        assert all(x is y for x, y in zip(got, ragged, strict=True))
    assert all(each is mark for each in marked)


@claim("DAT-61", about="permute div", needs="permute")
@example(image=np.arange(256, dtype="uint8").reshape(8, 8, 4))
@given(image=images())
def test_bytes_of_an_image_survive_as_fractions(be, image):
    """An image of bytes, rows by columns by channels, becomes numbers from 0 to 1, channels by rows
    by columns, by a permutation and a division by 255: times 255 and rounded, all 256 bytes return.
    One of floats is permuted and nothing else.
    """
    planes = np.moveaxis(image, -1, 0)
    fractions = be.div(be.permute(be.tensor(image), (2, 0, 1)), np.array([255.0]))
    be.check(fractions, Jet.exact(planes) / 255)
    be.check(be.permute(be.tensor(image / 4), (2, 0, 1)), planes / 4)
    assert 0 <= be.numpy(fractions).min() <= be.numpy(fractions).max() <= 1
    assert np.array_equal(np.rint(be.numpy(be.mul(fractions, np.array([255.0])))), planes)


@claim("DAT-67", about="pad permute reshape", needs="vjp pad permute reshape")
@example(shape=(4, 3, 32, 32), columns=4, gap=2)
@given(
    shape=tuples(sampled_from([2, 4, 6]), *[integers(1, 3)] * 3),
    columns=sampled_from([1, 2]),
    gap=integers(0, 2),
)
def test_a_batch_is_arranged_as_one_picture(be, shape, columns, gap):
    """Images arranged in rows and columns with a gap around each make one picture, channels first
    as before: its height is rows * (height + gap) + gap, and so is its width by columns. Each image
    stands in its cell, the gaps are zero, and a gradient goes back from the cell to the image.
    """
    n, channels, height, width = shape
    rows, images = n // columns, np.arange(1.0, 1 + np.prod(shape)).reshape(shape)
    picture, pull = be.vjp(lambda x: arranged(be, x, shape, columns, gap), images)
    sizes = rows * (height + gap) + gap, columns * (width + gap) + gap
    want, w = np.zeros((channels, *sizes)), np.arange(channels * prod(sizes)).astype(float)
    w, back = w.reshape(want.shape), np.zeros(shape)
    for k, image in enumerate(images):
        top, left = ((k // columns) * (height + gap) + gap, (k % columns) * (width + gap) + gap)
        cell = np.s_[:, top : top + height, left : left + width]
        want[cell], back[k] = image, w[cell]
    be.check(picture, want)
    be.check(pull(w)[0], back)


# ---- worker processes ----------------------------------------------------------------------------


@claim("DAT-58", about="loader", needs="datasets random", level="contract")
@example(workers=0)
@example(workers=1)
@example(workers=2)
def test_workers_are_processes(be, workers):
    """Workers are processes, each with a data set of its own, that take turns: the batches and
    their order stay the same. What fails in a worker is raised here, by its type, in its turn.
    """
    whole, torn = Signed(range(7)), Items({n: n for n in range(8) if n != 4})
    options = {"batch_size": 2, "num_workers": workers, "timeout": 60 * bool(workers)}
    with be.fork_random():
        batches = list(be.loader(whole, **options))
        tried = list(outcomes(be.loader(torn, **options)))
    rows = np.concatenate([np.stack([be.numpy(part) for part in each]) for each in batches], 1)
    assert rows[0].tolist() == list(range(7))
    assert [len(numbers) for numbers, *_ in batches] == [2, 2, 2, 1]
    # Batches go to the workers in turn, and each worker counts what its own copy has fetched.
    assert len(set(rows[1])) == max(workers, 1)
    assert (os.getpid() in rows[1]) is (workers == 0)
    assert rows[2].tolist() == ([1, 2, 1, 2, 3, 4, 3] if workers == 2 else [1, 2, 3, 4, 5, 6, 7])
    assert whole.log == ([] if workers else list(range(7)))
    assert len(tried) == 4
    failed = tried.pop(2)
    assert [be.numpy(each).tolist() for each in tried] == [[0, 1], [2, 3], [6]]
    assert type(failed) is KeyError
    assert ("Caught KeyError in DataLoader worker process 0" in str(failed)) is bool(workers)
    with be.raises(ErrorKind.ARGUMENT):
        be.loader(whole, num_workers=-1)


@claim("DAT-220", about="loader", needs="datasets random torch", level="contract")
@example(seed=3, kept=True)
@example(seed=4, kept=False)
def test_workers_know_who_they_are(be, seed, kept):
    """worker_init_fn is called once in each worker, with its number. There get_worker_info tells
    the number, how many there are, and a seed of its own that is the base seed plus the number, by
    which random numbers are drawn; elsewhere it is None.
    """
    asked = be.lookup("torch.utils.data:get_worker_info")
    places = Told(asked, be.initial_seed)
    with be.fork_random():
        loader = be.loader(
            places,
            batch_size=None,
            num_workers=2,
            timeout=60,
            generator=be.generator(seed),
            worker_init_fn=places.begin,
            persistent_workers=kept,
        )
        passes = [list(loader) for _ in range(2)]
        del loader
    assert asked() is None
    for rows in passes:
        assert [row[0] for row in rows] == [0, 1, 0, 1]
        assert {row[1] for row in rows} == {2}
        first = rows[0][2]
        assert [row[2] - first for row in rows] == [0, 1, 0, 1]
        assert [row[3] for row in rows] == [row[2] for row in rows], "numbers are of another seed"
        assert [row[4] for row in rows] == [[0], [1], [0], [1]], "how workers began"
    assert (passes[0] == passes[1]) is kept, "the seeds of another pass"


@claim("DAT-59", about="loader", needs="datasets random", level="contract")
@example(guard=GUARDED, starts=True)
@example(guard=UNGUARDED, starts=False)
def test_a_script_that_spawns_workers_has_a_guard(be, guard, starts):
    """A worker that is spawned first imports the script that this process runs: where the script
    starts processes without asking whether it is the main module, the worker dies of it.
    """
    loader = be.loader(
        Items([0.5, 1.5]), num_workers=1, multiprocessing_context="spawn", timeout=60
    )
    with main_script(guard), be.fork_random():
        if starts:
            assert [be.numpy(each).tolist() for each in loader] == [[0.5], [1.5]]
        else:
            with pytest.raises(RuntimeError, match="exited unexpectedly"):
                list(loader)
