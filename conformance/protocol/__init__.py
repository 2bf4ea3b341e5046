"""What a backend is: what an adapter implements, declares and says.

`backend` is the protocol, `capabilities` and `operations` are the words in which a library says
what it has, `errors` the reasons for which it refuses. A `subject` is a backend on a device in a
dtype, as a claim sees it. What runs claims is not here.
"""
