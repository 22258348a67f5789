"""Who may send and read: brands."""
