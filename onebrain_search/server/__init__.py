"""The daemon: one process a vault that keeps its index fresh and its model warm, and answers on a loopback port."""
