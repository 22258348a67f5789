"""Run benchmarks, print one table, write bench/results/: `python -m bench [NAME ...] [--seconds S]`."""

import argparse
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path

from bench import (
    bench_archive,
    bench_attacks,
    bench_audience,
    bench_caching,
    bench_catalogue,
    bench_client,
    bench_cold_start,
    bench_dashboard,
    bench_fresh,
    bench_hot_asset,
    bench_hot_paths,
    bench_import,
    bench_ingest,
    bench_lists,
    bench_load,
    bench_memory,
    bench_metrics,
    bench_migrate,
    bench_planning,
    bench_referrers,
    bench_restart,
    bench_serve,
    bench_uniques,
    bench_verdicts,
    bench_watching,
    bench_workflow,
    dynamodb_cost,
)
from bench.nginx import NoNginx
from bench.plan import SECONDS, Bench, Plan
from bench.redis_server import NoRedis
from bench.results import RESULTS, Row, save, show
from bench.wrk import NoWrk

BENCHES: Mapping[str, Bench] = {
    "ingest": bench_ingest.run,
    "serve": bench_serve.run,
    "lists": bench_lists.run,
    "fresh": bench_fresh.run,
    "import": bench_import.run,
    "memory": bench_memory.run,
    "restart": bench_restart.run,
    "hot-paths": bench_hot_paths.run,
    "caching": bench_caching.run,
    "client": bench_client.run,
    "catalogue": bench_catalogue.run,
    "load": bench_load.run,
    "cold-start": bench_cold_start.run,
    "hot-asset": bench_hot_asset.run,
    "dynamodb-cost": dynamodb_cost.run,
    "uniques": bench_uniques.run,
    "attacks": bench_attacks.run,
    "verdicts": bench_verdicts.run,
    "metrics": bench_metrics.run,
    "migrate": bench_migrate.run,
    "workflow": bench_workflow.run,
    "referrers": bench_referrers.run,
    "dashboard": bench_dashboard.run,
    "archive": bench_archive.run,
    "audience": bench_audience.run,
    "watching": bench_watching.run,
    "planning": bench_planning.run,
}


def main() -> int:
    """Run what was named, or everything."""
    parser = argparse.ArgumentParser(prog="python -m bench", description="Measure footfall.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(BENCHES)}; all when none is named")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="the length of each load (%(default)s)")
    parser.add_argument(
        "--results", type=Path, help="where to write the rows; a shorter run writes only if this is given"
    )
    arguments = parser.parse_args()
    unknown = [name for name in arguments.names if name not in BENCHES]
    if unknown or arguments.seconds < 1:
        parser.error(f"there is no benchmark {unknown[0]!r}" if unknown else "--seconds must be at least 1")
    directory = arguments.results or (RESULTS if arguments.seconds >= SECONDS else None)
    measured: dict[str, list[Row]] = {}
    for name in arguments.names or BENCHES:
        started = time.monotonic()
        print(f"{name} ...", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory(prefix="footfall-bench-") as place:
            try:
                measured[name] = BENCHES[name](Plan(Path(place), arguments.seconds))
            except (NoNginx, NoRedis, NoWrk) as error:
                print(error, file=sys.stderr)
                return 1
        print(f"{name} took {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
        if directory is not None:
            save(name, measured[name], directory)
    show(measured.items())
    return 0


if __name__ == "__main__":
    sys.exit(main())
