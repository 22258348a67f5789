"""Words that everything speaks: hits, windows, periods, clocks, errors."""
