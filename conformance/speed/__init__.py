"""What a device gains: workloads, clocks, intervals, and the verdicts drawn from them.

A workload is timed in `cells` with the clock of `clock`; `laws` judges, `record` is the file.
Whether a result is right is not asked here.
"""
