"""A random cut forest: how unlike the lately seen points a point is, and which of its features make it so."""
