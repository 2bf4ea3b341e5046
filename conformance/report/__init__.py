"""Reports that people look at, made from results files; needs the extra `report`.

They show what is on file, and judge nothing.
"""
