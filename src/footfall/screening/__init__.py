"""Who sent a hit, told from what it says of itself. Pure: values in, values out; the door and the counting ask here."""
