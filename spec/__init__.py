"""gradspec.spec: the specification, one chapter a file."""
