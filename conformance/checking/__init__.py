"""A function that somebody has written, put to what the specification asks of an operation.

`asking.check` takes it with inputs, and puts every question of `questions` to it; each question is
a sentence and a few lines, asked of a `Trial`, which runs the function on one case and notes what
it runs in the library's own words. What fails is made small by `shrinking`, and written by
`scripts` as a script that needs the library alone.

What a backend is, how operations of a table are checked, and how claims are run live elsewhere:
here nothing is collected, and nothing needs pytest.
"""
