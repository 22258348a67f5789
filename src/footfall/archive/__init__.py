"""The archive: pages as they were, found again by address, by day and by words."""
