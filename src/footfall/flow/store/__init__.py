"""Step 4 of 5: summaries, their keys and their bytes."""
