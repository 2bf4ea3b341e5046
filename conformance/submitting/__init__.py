"""Results handed in by whoever maintains a library, and how others see that they are true.

`bundle` is the file: results, and a manifest of what they rest on. `verifying` holds it against the
specification and the adapter that are here, and runs a sample of it again. Judging is `run`.
"""
