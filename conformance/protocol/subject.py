"""A subject: a backend bound to a device, a dtype and a mode. Claims receive it as `be`."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from ..truth.tolerance import ROUNDINGS, Expected, Total, as_total, unit_roundoff, worst_ratio
from ..untrusted.texts import in_a_line, message_of
from .backend import Native, equal
from .calls import Array, Calls
from .capabilities import Capability
from .conventions import agree
from .errors import AdapterError, ErrorKind
from .operations import OPERATIONS

SIDE = "mul(1+1j, 0+1j)"
"""The kink, if it is one, whose record says which way complex gradients point."""

EXPECTED = "expected is a refusal of the kind "
"""What is noted on an exception that no kind is known of, where one was expected."""

UNPACKED = re.compile(r"values to unpack \(expected (\d+)|cannot unpack non-iterable")
"""What Python says where several results are waited for, and come in another number."""


class Subject(Calls):
    """What claims ask and judge: `Calls`, and the checks of what came of them.

    Every function of `OPERATIONS` and every method of `Backend` is an attribute.
    """

    # ---- real numbers ----------------------------------------------------------------------------

    def check(
        self,
        got: Native | None,
        want: Expected,
        what: str = "result",
        *,
        points: Sequence[Array] = (),
        dtype: str = "",
    ) -> None:
        """Compare every entry of `got` with the true value, within the error model.

        Shape and dtype have to agree as well: that of the subject, if no other `dtype` is named. An
        entry is named by its place, or by the `points` of the arguments, numbers or rows, that are
        there. Raises AssertionError, unless it is known: then what follows is checked all the same.
        """
        __tracebackhide__ = True
        wanted = dtype or self.dtype
        assert got is not None, f"{what} is None, expected {_brief(as_total(want).value)}"
        value, total = self.numpy(got), as_total(want)
        assert value.shape == total.value.shape, (
            f"{what} has shape {value.shape}, expected {total.value.shape}"
        )
        if not (value.dtype.kind in "iub" and _is_whole(want)):
            own = self.backend.dtype_of(got) if wanted == "bfloat16" else value.dtype
            if own != wanted:
                self._refute(f"{what} is {own}, expected {wanted}")
        self._compare(value, total, what, points, wanted)

    def _refute(self, text: str) -> None:
        """Raise AssertionError with this text, unless an entry speaks of it."""
        __tracebackhide__ = True
        if not self.is_known(text):
            raise AssertionError(text)

    def _compare(
        self,
        value: Array,
        total: Total,
        what: str,
        points: Sequence[Array] = (),
        dtype: str = "",
    ) -> None:
        __tracebackhide__ = True
        wanted = dtype or self.dtype
        ratio = worst_ratio(value, total, wanted)
        if ratio.size == 0:
            return
        self.worst = max(self.worst, float(ratio.max()))
        wrong = np.argwhere(ratio > self.leeway)
        for place in wrong[np.argsort(-ratio[ratio > self.leeway], kind="stable")]:
            at = tuple(map(int, place))
            where: Any = [*at] if at else ""
            if points:
                where = f" at {', '.join(repr(x[at[0]].tolist()) for x in points)}"
            # The worst is told, unless it is known and another is not.
            self._refute(
                f"{what}{where} is {value[at].item()!r}, expected {total.miss(value, at, wanted)}"
            )

    def check_gradient(
        self,
        got: Native | None,
        want: Total,
        what: str = "gradient",
        *,
        points: Sequence[Array] = (),
        dtype: str = "",
    ) -> None:
        """Compare a gradient with the true one; None stands for zeros. Raises AssertionError."""
        __tracebackhide__ = True
        if got is None:
            if (np.abs(want.value) > want.error_bound).any():
                self._refute(f"{what} is lost: None, expected {_brief(want.value)}")
        else:
            self.check(got, want, what, points=points, dtype=dtype)

    # ---- complex numbers -------------------------------------------------------------------------

    @property
    def ascends(self) -> bool:
        """Whether a complex gradient points to where a real result grows.

        It is then the derivative by the real part plus i times that by the imaginary part, as in
        PyTorch; otherwise minus i times it, which of a holomorphic function is its derivative.
        """
        _, record = self.backend.conventions()
        if SIDE not in record:
            raise AdapterError(
                f"{self.backend.name} has no {SIDE} on record; `gradspec conventions` measures it"
            )
        side: float = record[SIDE][0][1]
        return side < 0

    def written(self, parts: Array) -> Array:
        """Write derivatives by both parts, which lie along the last axis, as the library does."""
        re, im = np.moveaxis(parts, -1, 0)
        return np.asarray(re + 1j * im if self.ascends else re - 1j * im)

    def paired(self, tangent: Array, gradient: Native) -> Native:
        """Pair a tangent with a gradient: a real number, whatever the library's convention is."""
        if tangent.dtype.kind != "c":
            return self.sum(self.mul(self.tensor(tangent), gradient))
        turned = tangent.conj() if self.ascends else tangent
        return self.real(self.sum(self.mul(self.tensor(turned), gradient)))

    def check_complex(self, got: Native | None, want: Expected, what: str = "result") -> None:
        """Compare complex numbers with their true parts, which lie along a last axis.

        Shape and dtype have to agree as well. Raises AssertionError.
        """
        __tracebackhide__ = True
        self._compare_parts(got, as_total(want), what, 1)

    def check_complex_gradient(
        self, got: Native | None, want: Total, what: str = "gradient"
    ) -> None:
        """Compare a complex gradient with the true derivatives by the parts.

        None stands for zeros. Raises AssertionError.
        """
        __tracebackhide__ = True
        if got is None:
            self.check_gradient(got, want, what)
        else:
            self._compare_parts(got, want, what, 1 if self.ascends else -1)

    def _compare_parts(self, got: Native | None, total: Total, what: str, sign: int) -> None:
        __tracebackhide__ = True
        assert got is not None, f"{what} is None, expected {_brief(total.value)}"
        value = self.numpy(got)
        assert value.dtype == self.complex_dtype, (
            f"{what} is {value.dtype}, expected {self.complex_dtype}"
        )
        assert (*value.shape, 2) == total.value.shape, (
            f"{what} has shape {value.shape}, expected {total.value.shape[:-1]}"
        )
        self._compare(np.stack([value.real, sign * value.imag], -1), total, f"{what}, in parts,")

    # ---- more checks -----------------------------------------------------------------------------

    def same(self, got: Native, want: Native | Array, what: str = "result") -> None:
        """Compare with a native tensor or an array, bit by bit. Raises AssertionError."""
        __tracebackhide__ = True
        ours = isinstance(want, np.ndarray | np.floating)
        x, y = self.numpy(got), np.asarray(want) if ours else self.numpy(want)
        if not equal(x, y):
            self._refute(f"{what} is {_brief(x)}, expected exactly {_brief(y)}")

    def plain(self, gradients: Sequence[Native | None]) -> list[Any]:
        """Write gradients as they stand on record: nested numbers, or "none".

        Complex ones are written by their parts, along a last axis.
        """
        arrays = (None if g is None else self.numpy(g) for g in gradients)
        return ["none" if a is None else _in_parts(a).tolist() for a in arrays]

    def check_convention(self, kink: str, gradients: Sequence[Native | None]) -> None:
        """Compare gradients at a kink with those on record. Raises AssertionError."""
        __tracebackhide__ = True
        measured = self.plain(gradients)
        self.noted.append(f"{kink}: {measured}")
        version, record = self.backend.conventions(self.device)
        assert kink in record, f"{kink} is not on record; `gradspec conventions` measures it"
        assert agree(measured, record[kink], self.dtype), (
            f"convention changed: {kink} gives {measured} in {self.backend.version}, and gave "
            f"{record[kink]} in {version}"
        )

    def check_between(self, gradients: Sequence[Native], low: Array, high: Array) -> None:
        """Compare the entries of gradients, and last their sum, with bounds of float64.

        Raises AssertionError; nan lies between nothing.
        """
        __tracebackhide__ = True
        got = np.concatenate([self.numpy(g).astype(float).ravel() for g in gradients])
        got = np.append(got, got.sum())
        slack = unit_roundoff(self.dtype) * ROUNDINGS * np.maximum(np.abs(low), np.abs(high))
        for at, (value, least, most) in enumerate(zip(got, low - slack, high + slack, strict=True)):
            what = f"entry {at}" if at < got.size - 1 else "the sum"
            assert least <= value <= most, f"{what} is {value}, expected {least:g} to {most:g}"

    @contextmanager
    def raises(self, *kinds: ErrorKind) -> Iterator[None]:
        """Expect a refusal of one of `kinds`, which leaves every leaf as it was.

        Raises AssertionError if nothing is raised, or something for another reason.
        """
        __tracebackhide__ = True
        names = " or ".join(kinds)
        before = [self.numpy(leaf) for leaf in self.leaves]
        try:
            yield
        except Exception as error:
            kind = self.kind_of(error)
            if kind is None:
                error.add_note(EXPECTED + " or ".join(each.name for each in kinds))
                raise
            assert kind in kinds, f"refused as {kind}, expected {names}: {in_a_line(error)}"
        else:
            raise AssertionError(f"nothing was raised, expected {names}")
        # Leaves made inside the block come after these.
        for leaf, value in zip(self.leaves, before, strict=False):
            assert equal(self.numpy(leaf), value), "a refused operation changed a leaf"

    def kind_of(self, error: Exception) -> ErrorKind | None:
        """Ask the adapter why `error` was raised; raises AdapterError if it answers no kind."""
        try:
            kind = self.backend.error_kind(error)
        except Exception as fault:
            raise AdapterError(
                f"{self.backend.name}.error_kind raised {in_a_line(fault)}; "
                "return None for what it does not know"
            ) from error
        if kind is not None and kind not in frozenset(ErrorKind):
            raise AdapterError(
                f"{self.backend.name}.error_kind returned {kind!r}: return an ErrorKind or None"
            ) from error
        return kind

    def explanation(self, error: BaseException) -> str:
        """Say which function returned what an exception complains of, to be put before it.

        Empty if none is known to have done so. A comparison may complain of what came of it.
        """
        text = message_of(error)
        if found := UNPACKED.search(text):
            for name, count in reversed(self.odd.items()):
                if isinstance(count, int) and str(count) != found[1] and _raised_by_claim(error):
                    number = f"{count} result{'s' * (count != 1)}"
                    return f"{name} returned {number}, expected {found[1] or 'several'}: "
        for name, kind in self.odd.items():
            if isinstance(kind, type):
                ours = name in OPERATIONS
                if re.search(rf"\b{kind.__name__}\b", text) or (
                    ours and kind.__module__ == "builtins"
                ):
                    return f"{name} returned {kind.__name__}{', not a tensor' if ours else ''}: "
        return ""

    def end(self) -> None:
        """Check the side conditions of an example. Raises AssertionError.

        What was passed in is unchanged, and no gradient shares memory with a leaf, with a cotangent
        or with another gradient.
        """
        for array, before in self.inputs:
            assert equal(array, before), "an input array was changed"
        if Capability.VIEWS in self.backend.capabilities:
            seen = [("a leaf", x) for x in self.leaves]
            seen += [("a cotangent", x) for x in self.cotangents]
            for leaf in self.leaves:
                grad = self.backend.grad(leaf)
                if grad is None:
                    continue
                for name, other in seen:
                    shared = self.backend.shares_memory(grad, other)
                    self._truth("shares_memory", shared)
                    assert not shared, f".grad shares memory with {name}"
                seen.append(("another .grad", grad))


def _in_parts(array: Array) -> Array:
    return np.stack([array.real, array.imag], -1) if array.dtype.kind == "c" else array


def _is_whole(want: Expected) -> bool:
    return not isinstance(want, Total) and np.asarray(want).dtype.kind in "iub"


def _raised_by_claim(error: BaseException) -> bool:
    """Whether an exception comes from a function that has a subject, not from the library."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    return at is not None and isinstance(at.tb_frame.f_locals.get("be"), Subject)


def _brief(array: Array) -> str:
    return np.array2string(array, threshold=20, separator=", ").replace("\n", "")
