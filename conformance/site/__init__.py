"""The site: pages to look things up in, made of results files and of the specification.

Every page is plain data first, written beside it as JSON, and the template shows that data and
nothing else. No page asks anything of the network, and nothing that a results file holds is more
than text.
"""
