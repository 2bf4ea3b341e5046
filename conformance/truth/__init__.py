"""How far a right answer may be off: precisions, tolerances, and the oracles.

Whether a value is right is decided in `tolerance`; `oracles` computes what it should be, with a
bound of its own rounding. Nothing here knows a library.
"""
