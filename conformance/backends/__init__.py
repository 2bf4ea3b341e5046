"""Adapters: one file for each library.

Beside each stand its expected failures and its conventions, as tables. Nothing here knows what a
claim is.
"""
