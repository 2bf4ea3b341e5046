"""Adapters: one file for each library."""
