"""prod and cumprod: the gradient of an infinite factor is wrong, where the others are finite.

That of prod is the result over the factor, infinity over infinity; that of cumprod lacks a term.
Searched for in the issues of the library on 2026-11-26: not found.
"""

import math
import sys

import mygrad as mg

expected, got = [6.0, 9.0], []
for product in (mg.prod, mg.cumprod):
    x = mg.tensor([math.inf, 2.0, 3.0])
    product(x).sum().backward()
    got.append(float(x.grad[0]))
print("expected", expected)
print("got     ", got)
sys.exit(got != expected)
