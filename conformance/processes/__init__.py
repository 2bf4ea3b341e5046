"""What a claim may do to the process that it runs in, and who bears it.

Workers and their supervisor, deadlines, last words, trying a backend out elsewhere, and repeating
red claims in fresh processes. No module of `run` knows of any of these.
"""
