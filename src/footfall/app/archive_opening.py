"""The archive as an instance or a function opens it for those who ask: its table, its bytes and its search."""
