"""The path of a hit: collect, stream, count, store, serve."""
