"""What a device gains: workloads, clocks, intervals, and the verdicts drawn from them."""
