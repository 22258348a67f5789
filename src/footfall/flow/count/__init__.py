"""Step 3 of 5: one worker per shard turns records into summaries."""
