"""What came of a run: verdicts, the files they are written to, and what is made of those.

A verdict is defined in `verdict`, written in `writing` and read in `reading`; `comparison`,
`merging`, `summary` and `standings` work on what was read. How a verdict comes about is `run`'s
affair.
"""
