"""A library over its releases: in which one a failure came, and in which one it went.

`environments` makes an environment for a release and runs the specification there, `courses` tells
from the results what changed, `record` is the file that is kept, `telling` the text that is
printed. Two runs of one release, or of any two libraries, are compared in `results`.
"""
