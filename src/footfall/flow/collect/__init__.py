"""Step 1 of 5: requests become hits that the stream holds on disk."""
