"""Programs of autograd, drawn at random and judged by the reference.

A program is a tuple of statements over numbered tensors: it makes, looks at, overwrites, hooks and
differentiates them in any order. `language` says what a statement is, the files named after its
families say which there are, `decoding` reads a program off any bytes, `machine` runs it on a
backend, `judging` compares two runs, `shrinking` finds the smallest program that shows a
difference, `scripts` writes it in the library's own API, `fuzzing` does all of it at length.

What draws single values and calls of operations lives in `strategies` and `table`, not here.
"""
