"""Programs for tests: read from text, drawn, and run on the reference."""

from gradspec.conformance.backends.reference import Reference
from gradspec.conformance.programs.decoding import Decoder, drawn_bytes
from gradspec.conformance.programs.instructions import Instructions
from gradspec.conformance.programs.kinds import kinds_of
from gradspec.conformance.programs.language import program_of
from gradspec.conformance.programs.machine import Machine

REFERENCE = Reference()
KINDS = kinds_of(REFERENCE)
DECODER = Decoder(KINDS)
TABLE = Instructions(REFERENCE, KINDS)

SQUARE = """
v0 = leaf(; (1, 2), (2,), False)
v1 = mul(v0, v0)
backward(v1; 1, 0, ())
look_grad(v0)
"""


def program(text):
    return program_of(text.strip().splitlines())


def run(text, table=TABLE):
    machine = Machine(table)
    machine.run(program(text) if isinstance(text, str) else text)
    return machine


def drawn(count, seed=0):
    return [DECODER.read(drawn_bytes(seed, number)) for number in range(count)]
