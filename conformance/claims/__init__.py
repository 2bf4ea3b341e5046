"""What a claim is, where its rows stand, and what values it may carry into a file.

The claims themselves are the specification, `gradspec.spec`; running them is `run`.
"""
