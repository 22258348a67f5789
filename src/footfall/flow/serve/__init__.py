"""Step 5 of 5: summaries become answers."""
