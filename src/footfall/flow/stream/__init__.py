"""Step 2 of 5: what a record of hits looks like and which shard holds it."""
