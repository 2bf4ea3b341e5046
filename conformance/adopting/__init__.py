"""A new adapter, written by looking at a library: what is tried, and what comes of it.

`pieces` has the ways in which libraries are known to do what an adapter has to say, `looking` tries
them in a process of its own, and `writing` writes down what held, with a question where nothing
did. Running the specification on the adapter is `run`.
"""
