"""Compare: `python -m bench.compare [--only PEER] [--hits N] [--fresh]`."""

import sys

from bench.compare.running import main

if __name__ == "__main__":
    sys.exit(main())
