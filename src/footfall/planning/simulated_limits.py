"""What the engines do and do not allow, as their vendor documents it; each number with the page that says so.

Where the vendor says that something happens but not when, the number is ours and says so.
"""

# "Best practices for designing and using partition keys effectively", docs.aws.amazon.com/amazondynamodb/latest/
# developerguide/bp-partition-key-design.html: 3,000 read and 1,000 write units a second of each partition, whatever
# the table has. "Key range throughput exceeded", .../throttling-key-range-limit-exceeded-mitigation.html: reads and
# writes are throttled independently of each other.
PARTITION_WRITE_UNITS = 1_000.0
PARTITION_READ_UNITS = 3_000.0
# "Partitions and data distribution", .../HowItWorks.Partitions.html, and "Quotas", .../ServiceQuotas.html (1 GB is
# 1024 ** 3 bytes there).
PARTITION_BYTES = 10 * 1024**3
# "DynamoDB burst and adaptive capacity", .../burst-adaptive-capacity.html: up to five minutes of unused capacity; a
# partition may have more than its part of the table's as long as neither the table's nor its own limit is reached;
# what one item has is never more than a partition's limit.
BURST_S = 300
# "DynamoDB on-demand capacity mode", .../on-demand-capacity-mode.html: 4,000 writes and 12,000 reads a second at
# first, double the previous peak at once; growth beyond that over at least 30 minutes.
ON_DEMAND_WRITE_UNITS = 4_000.0
ON_DEMAND_READ_UNITS = 12_000.0
ON_DEMAND_TIMES = 2.0
ON_DEMAND_MINUTES = 30
# "Quotas in Amazon DynamoDB", .../ServiceQuotas.html: the default of a table; more on request.
TABLE_UNITS_MAX = 40_000.0
# The same page: four decreases at any time of a (UTC) day, and another whenever there was none in the last hour.
DECREASES_FREE = 4
DECREASE_EVERY_MINUTES = 60
DECREASES_A_DAY_MAX = 27
# "DynamoDB auto scaling is not working", repost.aws/knowledge-center/dynamodb-auto-scaling: up when above the target
# for two consecutive minutes, down when 20 points below it for fifteen.
SCALE_UP_MINUTES = 2
SCALE_DOWN_MINUTES = 15
SCALE_DOWN_BELOW = 0.20
# "Managing throughput capacity automatically", .../AutoScaling.html: targets of 20 to 90 %, 70 % by default.
TARGET = 0.70
TARGET_MIN, TARGET_MAX = 0.20, 0.90
# Ours: the alarm is looked at and the table is changed; the vendor says that it takes "several minutes" at worst.
SCALE_APPLIED_MINUTES = 1
# "Scaling DynamoDB: How partitions, hot keys, and split for heat impact performance (Part 3)", aws.amazon.com/blogs/
# database/part-3-scaling-dynamodb-how-partitions-hot-keys-and-split-for-heat-impact-performance: a partition near its
# limit is split, and partitions are never merged. Ours: ten minutes of it, which that series calls sustained activity.
HEAT_MINUTES = 10
# "Time to Live", .../TTL.html: removed "within a few days"; two are what is typical. Removal costs no write units.
TTL_LATE_MINUTES = 2 * 1_440

# "Quotas and limits", docs.aws.amazon.com/streams/latest/dev/service-sizes-and-limits.html. A MB is taken as the
# smaller of its two meanings, so that a plan that fits does.
SHARD_RECORDS = 1_000.0
SHARD_BYTES = 1_000_000.0
SHARD_READ_BYTES = 2_000_000.0
SHARD_READS = 5
RECORD_BYTES_MAX = 1_048_576
SHARDS_MAX = 20_000  # An account's default in the large regions.
# "Choose the right mode to stream in", docs.aws.amazon.com/streams/latest/dev/how-do-i-size-a-stream.html: four shards'
# worth at first, double the peak of the last 30 days; more than double within 15 minutes may be throttled.
STREAM_ON_DEMAND_SHARDS = 4
STREAM_ON_DEMAND_MINUTES = 15
STREAM_ON_DEMAND_SHARDS_MAX = 10_000  # 10 GB a second in the large regions
# "UpdateShardCount", docs.aws.amazon.com/kinesis/latest/APIReference/API_UpdateShardCount.html: to double or half at
# most in one call, ten times in any 24 hours, and it takes "a few minutes".
RESHARD_TIMES_MAX = 2.0
RESHARDS_A_DAY_MAX = 10
# Ours: shards are split one after another; half a minute for each.
RESHARD_SECONDS_EACH = 30

# "Lambda function scaling", docs.aws.amazon.com/lambda/latest/dg/lambda-concurrency.html: the default of an
# account and region. "Lambda scaling behavior", .../scaling-behavior.html: 1,000 environments in ten seconds for each
# function, refilled continuously, not saved up; ten requests a second of each.
FUNCTION_CONCURRENCY = 1_000
FUNCTION_RAMP = 1_000
FUNCTION_RAMP_S = 10
FUNCTION_REQUESTS_EACH = 10.0
# "Lambda parameters for Kinesis event source mappings", .../services-kinesis-parameters.html.
BATCH_RECORDS_MAX = 10_000
PARALLELISATION_MAX = 10
BATCH_WINDOW_S_MAX = 300
# ".../with-kinesis.html": a batch ends at 6 MB, a call's largest payload.
BATCH_BYTES_MAX = 6_000_000.0
# Ours: idle environments are removed "after some time" (.../lambda-runtime-environment.html); measured by others at
# five to fifteen minutes.
FUNCTION_IDLE_MINUTES = 10
