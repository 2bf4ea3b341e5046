"""What comes from others: texts and files that may hold anything.

Texts are made printable and lose the places of this machine; files are read within bounds and held
against the schemas in `schemas/`. Nothing here knows what a claim or a backend is.
"""
