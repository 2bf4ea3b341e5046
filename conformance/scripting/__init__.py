"""A red verdict as a script in the library's own words, which needs neither gradspec nor adapter.

`recorder` is a subject that writes down what a claim asks of it, `page` holds the lines and the
names of tensors, `spelling` finds out how a function of an adapter is written in the library, and
`verdicts` finds the values with which a claim failed. Scripts of random programs are written in
`programs`, those of a user's own function in `checking`.
"""
