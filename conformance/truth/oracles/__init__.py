"""Formulas that a right implementation has to agree with, and how far it may be off.

Each computes with a bound of its own rounding, in numpy, and knows no library.
"""

from . import elementary, movements, products
from .jets import Jet, allowing

__all__ = ["Jet", "allowing", "elementary", "movements", "products"]
